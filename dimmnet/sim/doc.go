// Package sim simulates networks in virtual time: hosts with DIMMnet-1 NICs, or the same hosts
// joined by UDP over 100BASE-TX Ethernet. It also lets other packages put their own NIC into
// its hosts (Core); dimmnet/sim/dimmnet2 does.
//
//	net, err := sim.New(sim.Config{Env: "fagus2"})
//	err = net.Run(ctx, 2, func(h dimmnet.Host) error { ... })
//	fmt.Println(net.Result().TraceHash)
//
// # Threads and events
//
// A thread of a node is a coroutine (iter.Pull) with its own clock. The threads of one node
// share its CPUs: a thread that polls or computes occupies a CPU, one that waits for an event
// does not. One coroutine runs at a time, all on one goroutine, so GOMAXPROCS changes nothing.
// The NIC, the link and the writes to memory are events in the same queue. The queue is
// ordered by time. At the same time, packets come before threads; packets are ordered by
// insertion, threads by rank.
//
// Clocks are lazy: Spend only adds to the thread's clock. At a communication call, the thread
// first lets all events before its clock happen, and it suspends itself only for a thread
// whose clock is smaller. It does not even wait for those while no packet can reach its node
// before its clock: a Load, a Read and Idle go on (lookahead.go), a Store, a Multicast and a Note
// happen in their place without the thread (deferred.go), and a word may land before the thread
// that idles for it has come to that time (past.go). Config.Spin makes threads wait.
//
// # The NIC
//
// Every node has a Martini chip. Package martini holds its decisions; this package charges
// their time.
//
//	Store      kick page -> transaction FIFO -> HTLB -> send stages -> link
//	Write      one of 64 windows -> send stages -> link
//	Push/Pull  request in a window -> engine: packets of 2 KB, ACK -> link
//	link       -> fabric of switches, or the peer -> receiver: TLB, gap -> LLCM or bank
//
// The costs for the CPU are:
//
//   - Store: one uncached write.
//   - Write: filling a window and writing its kick address. If the program knows of no free
//     window, also one uncached read of the status of all windows.
//   - Load: one uncached read. A Read of up to 4 bytes costs less; a longer Read of the LLCM
//     costs one uncached read for every word.
//   - Fill, and Read of bulk memory: a copy at the speed of the bus or of the bank, whichever
//     is slower.
//
// From there a packet passes the send stages, links, switches and receive stages of the
// preset.
//
// An HTLB miss, or a packet with an unknown command, interrupts the core PU, which serves one
// interrupt after the other; stores behind a miss wait. The receiver checks blocks and RDMA
// packets against its registered regions. It drops a packet that it refuses, counts it
// (Result.NIC) and reports it (Result.Refused). A Port never sends such packets; a [User] can.
//
// Networks of three or more nodes, and of two if Preset.Direct is false, are a fat tree of the
// preset's switches (fabric.go). Each output port passes one packet at a time. A multicast
// leaves by each port once.
//
// # The host
//
// Other work of a host costs what its preset says (HostCosts). Programs and the engines of Fagus
// report it by Host.Charge: bytes copied and compared, lines that a program reads from memory,
// entries of lists, steps of plans, notices. An event wakes a thread after the time of a wake-up.
//
// The processors of a node share the memory bus. While another thread polls the NIC or copies to
// it, each line that a thread reads or writes waits for one access of the other: they take turns.
// So beside a polling thread, a program that misses its cache in every step computes at half of
// its rate. A thread that works finds out whether others use the bus 10 us after one of them
// began or ceased to, then after 20 us, and so on, up to once a tick. The accesses of the polling
// thread do not become slower, so that its passes keep their length and can be skipped.
//
// # UDP over Ethernet
//
// With Config.UDP the hosts have no NIC. They use the Ethernet, which otherwise carries only
// notices: this is UDP-Fagus. The LLCM is then ordinary memory.
//
//	post        -> the datagram that the node gathers -> flush: the thread pays
//	reliable    -> cable -> switch (loses, repeats, holds back) -> cable
//	interrupt   -> protocol stack -> reliable -> memory -> idle threads wake up
//
// Posts to one peer are gathered in a datagram until the thread does something else that takes
// time, or the datagram is full. The receiver's kernel works whatever the threads do: on a
// free CPU if there is one, else at the expense of a computing thread, whose clock advances at
// its next call. The kernel also acknowledges datagrams and sends them again. Idle sleeps
// without a CPU; when it wakes up, it may preempt a computing thread at that instant. No
// thread polls, so no polls are skipped.
//
// # Polls are skipped, exactly
//
// A Step that returned false has changed nothing, and the next one will read the same words
// (dimmnet.Stepper). When a thread idles after a polling pass of length P and the next arrival
// at its node comes at time a, every pass that ends before a is like the last one. So the
// kernel moves the thread's clock on to the start of the pass that contains a, counts the
// polls of the skipped passes, and runs the thread from there: it reads old words before a and
// new ones after. Until a, nothing that the thread does can affect another node, so it does
// not matter that the other nodes have already reached a. Config.Spin runs every pass instead,
// and tests compare the two. A thread that polls can lose its CPU only between two passes
// (cpu.go), so this also holds for threads that share CPUs.
//
// # Faults
//
// Config.Faults describes pauses and crashes of nodes, partitions that hold packets or lose
// datagrams, and damaged datagrams, each in a window of virtual time (faults.go). A pause is
// an event like any other: an idle thread is moved on to it and stops within a real pass, so
// skipping stays exact. Result.Struck reports which faults affected the run.
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
