// Package host simulates the hosts of a run: threads in virtual time, the CPUs that they share, and
// the protocol stack of UDP. It takes the events of the run (Kernel.Run); what the network does it
// leaves to package network. It knows no NIC: the port that Config.Port makes for every thread
// charges the accesses.
//
//	cfg := host.Config{Preset: &preset, Nodes: 2, Limit: limit, Port: newPort}
//	k := host.New(ctx, cfg, net, line, trace)
//	k.Start(net.Open(0), 0, body)
//	k.Start(net.Open(1), 1, body)
//	k.Run()
//	err := k.Cause()
//
// # Threads and events
//
// A thread of a node is a coroutine (iter.Pull) with its own clock. The threads of one node
// share its CPUs (cpu.go): a thread that polls or computes occupies a CPU, one that waits for an
// event does not. One coroutine runs at a time, all on one goroutine, so GOMAXPROCS changes
// nothing.
//
// Clocks are lazy: Spend only adds to the thread's clock. At a communication call, the thread
// first lets all events before its clock happen (Sync), and it suspends itself only for a thread
// whose clock is smaller. It does not even wait for those while no packet can reach its node
// before its clock: a Load, a Read and Idle go on (lookahead.go), a Store, a Multicast and a Note
// happen in their place without the thread (deferred.go), and a word may land before the thread
// that idles for it has come to that time (past.go). Config.Spin makes threads wait.
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
// and tests of package sim compare the two. A thread that polls can lose its CPU only between two
// passes, so this also holds for threads that share CPUs. A pause is an event like any other: an
// idle thread is moved on to it and stops within a real pass.
//
// # What work costs
//
// Work of a host other than accesses to the NIC costs what the preset says (presets.HostCosts).
// Programs and the engines of Fagus report it by Host.Charge: bytes copied and compared, lines
// that a program reads from memory, entries of lists, steps of plans, notices. An event wakes a
// thread after the time of a wake-up.
//
// The processors of a node share the memory bus. While another thread polls the NIC or copies to
// it, each line that a thread reads or writes waits for one access of the other: they take turns.
// So beside a polling thread, a program that misses its cache in every step computes at half of
// its rate. A thread that works finds out whether others use the bus 10 us after one of them
// began or ceased to, then after 20 us, and so on, up to once a tick. The accesses of the polling
// thread do not become slower, so that its passes keep their length and can be skipped.
//
// # The protocol stack
//
//	Gather      -> the datagram that the node gathers -> flush: the thread pays
//	reliable    -> network.Node.Emit -> cable -> switch -> cable
//	interrupt   -> protocol stack -> reliable -> memory -> idle threads wake up
//
// Posts to one peer are gathered in a datagram until the thread does something else that takes
// time, or the datagram is full. The receiver's stack works whatever the threads do: on a
// free CPU if there is one, else at the expense of a computing thread, whose clock advances at
// its next call. The stack also acknowledges datagrams and sends them again. Sleep needs no CPU;
// a thread that wakes up may preempt a computing thread at that instant. No thread polls, so no
// polls are skipped.
//
// # Other NICs
//
// A NIC that package network does not know keeps its state to itself. Its work is events
// (Thread.At), and the time that the host spends on it is Thread.Busy. A call that is seen is an
// arrival.
package host
