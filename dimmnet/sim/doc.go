// Package sim is a network of simulated DIMMnet-1 NICs in virtual time.
//
//	net, err := sim.New(sim.Config{Env: "fagus2"})
//	err = net.Run(ctx, 2, func(h dimmnet.Host) error { ... })
//	fmt.Println(net.Result().TraceHash)
//
// # Threads and events
//
// A node's thread is a coroutine (iter.Pull). One runs at a time, all on one
// goroutine, so GOMAXPROCS changes nothing. The NIC, the link and the memory
// writes are events in the same queue, ordered by (time, packets before
// threads, sequence). Clocks are lazy: Spend only adds; at a communication
// call the thread first lets everything happen that precedes its clock, and
// gives way to another thread only if that one's clock is smaller.
//
// # Costs
//
// A Store costs the CPU one uncached write. A Write costs one uncached read
// (may the window be reused?), the filling of the window and the write of its
// kick address. A Load costs one uncached read, a Read one for every word.
// From there the packet passes the send stages, the link and the receive
// stages of the preset; the link of the sender and that of the receiver are
// busy for its length. Between more than two nodes the links meet in an ideal
// crossbar.
//
// # Polls are skipped, exactly
//
// A Step that returned false read the same words that the next one will read,
// and changed nothing (dimmnet.Stepper). So when a thread idles after a pass
// that took P, and the next arrival comes at a, every pass that ends before a
// is like the last one: the thread is set forward to the start of the pass
// during which a lies, the polls in between are counted, and from there on it
// runs for real, reading old words before a and new ones after. Nothing that
// the thread does before a can touch another node, so it does not matter that
// the rest of the system has already reached a. Config.Spin runs every pass
// instead; a test compares the two.
//
// # Determinism
//
// The same program, node count, environment and seed give the same trace hash
// and the same clocks. A seed other than 0 adds random delays to packets and to
// Spend; packets of one pair of nodes keep their order.
//
// # What is not here
//
// HTLB misses, protection, SO-DIMM banks with PUSH and PULL, and switches.
// A thread must not lock its OS thread, nor block on a channel or a mutex that
// another thread of the run is to release: the run would stand still until its
// context ends, and the error names the rank.
package sim
