// Package sim simulates networks in virtual time: hosts with DIMMnet-1 NICs, or the same hosts
// joined by UDP over 100BASE-TX Ethernet. It also lets other packages put their own NIC into
// its hosts (OpenCore); dimmnet/sim/dimmnet2 does.
//
//	net, err := sim.New(sim.Config{Env: "fagus2"})
//	err = net.Run(ctx, 2, func(h dimmnet.Host) error { ... })
//	fmt.Println(net.Result().TraceHash)
//
// # Its parts
//
// This package is the door: it checks a Config, joins the parts of a run, and has the ports, which
// charge a thread for its accesses to the NIC. Imports point down:
//
//	sim      Config, Network, Result; ports to DIMMnet-1, with its driver, and to UDP; User
//	host     threads as coroutines, CPUs, skipped polls, look-ahead, sleep, protocol stack
//	network  NICs, memory that peers write to, links, switches, RDMA, Ethernet
//	event    the queue of events, virtual time, the trace
//	presets  the parameters of machines
//
// Package martini holds the decisions of the NIC's chip, package reliable the protocol over UDP.
//
// # What an access costs
//
// The costs of the port for the CPU are:
//
//   - Store: one uncached write.
//   - Write: filling a window and writing its kick address. If the program knows of no free
//     window, also one uncached read of the status of all windows.
//   - Load: one uncached read. A Read of up to 4 bytes costs less; a longer Read of the LLCM
//     costs one uncached read for every word.
//   - Fill, and Read of bulk memory: a copy at the speed of the bus or of the bank, whichever
//     is slower.
//
// With Config.UDP the hosts have no NIC. They use the Ethernet, which otherwise carries only
// notices: this is UDP-Fagus. The LLCM is then ordinary memory, and a post is a part of a datagram.
//
// # Faults
//
// Config.Faults describes pauses and crashes of nodes, partitions that hold packets or lose
// datagrams, and damaged datagrams, each in a window of virtual time. Result.Struck reports which
// faults affected the run.
//
// # Determinism
//
// The same program, number of nodes, environment and seed give the same trace hash and the
// same clocks. A seed other than 0 adds random delays to packets and to Spend. Packets from
// one node to another keep their order.
//
// # Limits
//
// The model does not have: bit errors and retransmission (except of datagrams); back pressure
// of a link on the NIC while a partition holds its packets; the program of the core PU; the
// caches of the host (programs say how many lines they miss; copies to and from a bank run at the
// speed of the bus, as if flushing cache lines were free); contention of several users for one
// NIC's FIFO; overflow in the Ethernet switch, whose losses are drawn at random instead.
// docs/lab/simulator.md says which parameters the papers print and which are assumed.
//
// A thread must not lock its OS thread, and must not block on a channel or mutex that another
// thread of the run releases. The run would stop until its context ends; the error then names
// the rank.
package sim
