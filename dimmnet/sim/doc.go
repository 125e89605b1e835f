// Package sim is a network of simulated DIMMnet-1 NICs in virtual time, or of the
// same hosts joined by UDP over 100BASE-TX.
//
//	net, err := sim.New(sim.Config{Env: "fagus2"})
//	err = net.Run(ctx, 2, func(h dimmnet.Host) error { ... })
//	fmt.Println(net.Result().TraceHash)
//
// # Threads and events
//
// A thread of a node is a coroutine (iter.Pull). Those of one node share its
// CPUs: who polls has one as much as who computes, who waits for an event has
// none. One coroutine runs at a time, all on one goroutine, so GOMAXPROCS changes
// nothing. The NIC, the link and the memory writes are events in the same queue,
// ordered by (time, packets before threads, sequence). Clocks are lazy: Spend
// only adds; at a communication call the thread first lets everything happen that
// precedes its clock, and gives way to another thread only if that one's clock is
// smaller.
//
// # The NIC
//
// Every node has a Martini chip: what it decides is package martini, what takes
// time is here.
//
//	Store      kick page -> transaction FIFO -> HTLB -> send stages -> link
//	Write      one of 64 windows -> send stages -> link
//	Push/Pull  request in a window -> engine: packets of 2 KB, ACK -> link
//	link       -> fabric of switches, or the peer -> receiver: TLB, gap -> LLCM or bank
//
// A Store costs the CPU one uncached write. A Write costs the filling of a
// window, the write of its kick address, and when no window is known to be free
// one uncached read of the status of all. A Load costs one uncached read, a narrow
// Read a cheaper one, a Read of more of the LLCM one for every word. A Fill and a
// Read of bulk memory go at the speed of the bus or the bank. From there a packet
// passes the send stages, link, switches and receive stages of the preset.
//
// An HTLB miss, and a packet with a command that nobody knows, interrupt the core
// PU, which serves one after the other; stores behind a miss wait. The receiver
// checks blocks and RDMA packets against its registered regions; what it refuses
// is dropped, counted (Result.NIC) and reported (Result.Refused). Ports never ask
// for what is refused; a [User] can.
//
// Three or more nodes, and two where Preset.Direct is false, are joined by a fat
// tree of the preset's switches (see fabric). Each output port passes one packet
// at a time; a multicast leaves by each port once.
//
// # UDP over Ethernet
//
// With Config.UDP the same hosts have no NIC but the Ethernet that else carries
// notices alone: UDP-Fagus. The LLCM is then ordinary memory.
//
//	post        -> the datagram that the node gathers -> flush: the thread pays
//	reliable    -> cable -> switch (loses, repeats, holds back) -> cable
//	interrupt   -> protocol stack -> reliable -> memory -> who idles is woken
//
// Posts to one peer are gathered until the thread does something else that takes
// time, or the datagram is full. The receiver's kernel does its work whatever the
// threads do: an idle CPU pays, else a thread that computes, which finds its clock
// set forward at its next call. It also acknowledges and sends again. Idle sleeps,
// and wakes at the expense of a thread that computes, at the very instant. Nothing
// polls, so nothing is skipped.
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
// instead; tests compare the two, also where threads share CPUs: a thread that polls
// loses its CPU between two passes (cpu.go).
//
// # Faults
//
// Config.Faults lets nodes pause or crash, partitions hold packets or lose datagrams,
// and datagrams be damaged, each in a window of virtual time (faults.go). A pause is an
// event like another: who polls is set forward to it, and stands still within a real
// pass, so skipped polls stay exact. Result.Struck tells which faults met anything.
//
// # Determinism
//
// The same program, node count, environment and seed give the same trace hash
// and the same clocks. A seed other than 0 adds random delays to packets and to
// Spend; packets of one pair of nodes keep their order.
//
// # What is not here
//
// Bit errors and retransmission (but of datagrams), flow control that a link exerts on
// the NIC when a partition stops it, the core PU's program, the caches of the host
// (a bank is copied at the speed of the bus, as if its lines were flushed for
// nothing), contention of users for one NIC's FIFO, and of the Ethernet switch
// buffers that overflow: what it loses is drawn. docs/simulator.md says
// which parameters are printed in the papers and which are assumed.
//
// A thread must not lock its OS thread, nor block on a channel or a mutex that
// another thread of the run is to release: the run would stand still until its
// context ends, and the error names the rank.
package sim
