// Package fagus is a distributed shared memory with entry consistency: programs on
// several nodes share arrays, guard them with sync variables, and compute on plain Go
// slices while they hold those variables.
//
//	report, err := fagus.Run(ctx, fagus.Config{Nodes: 4}, func(n *fagus.Node) error {
//		c := fagus.NewGuarded[float64](n, "C", 400)     // collective: same on all ranks
//		n.Set(c.Write().Unordered()).Do(func() {        // a communication phase
//			c.Slice()[n.Rank()]++                   // a compute phase: no polling
//		})                                              // no communication
//		n.Update()                                      // a communication phase
//		return n.Err()
//	})
//
// [NewGuarded] makes an array and a variable that guards all of it. [NewArray] and [Node.Bind] do
// the two separately, for arrays with a variable for each part. [SyncSet.Do] acquires a set, calls
// a function and releases the set; [Node.Acquire] and [Node.Release] do the two separately. Errors
// stick (see [Node.Err]): a program may check once, when it needs its results.
//
// The rank of a node is its number, from 0; "a rank" also means the node with that number. A
// tenure is the time from a rank's Acquire of a variable to its Release of that variable.
//
// # Consistency
//
// During a tenure the rank sees the values that the last exclusive holder of the variable wrote to
// the bound bytes, and no other rank changes these bytes. Outside a tenure the rank's copy keeps
// the values that its last Acquire or Update of the variable brought, and may be out of date. With
// [PlaceShared] all ranks use one copy. It keeps what an Update has brought until the rank's next
// call and, in Phase mode, what an Acquire has brought. At most one variable guards a byte.
//
// # Rules for programs
//
// Every rank runs the same function. NewArray and Bind are collective: all ranks make the same
// calls in the same order, before they use the data. Acquire, Update, Barrier and [Reduce] are
// communication phases in which all ranks take part: a rank that waits in one of these calls, or
// whose program has returned, serves the other ranks. Acquire returns when the rank's own requests
// are granted. Update, Barrier and Reduce return when all ranks have called them.
//
// A rank acquires and releases variables in sets, and holds one set at a time. A program that
// needs several variables at once puts them into one set, and releases the set before its next
// collective call. A set is granted as a whole, so ranks cannot deadlock. Requests are granted in
// the order in which they are made.
//
// Config.Check enforces these rules: an access to data that the rank does not hold ends the run
// with an error that names the source line and the remedy. docs/guide/check.md lists the mistakes
// that Check detects, docs/reference/gallery.md shows its messages, and docs/reference/misuse.md
// the errors of wrong calls.
//
// A Node, and the arrays, variables and sets made from it, belong to the goroutine of its rank.
// The memory of arrays lies outside the Go heap and is unmapped when the program function returns:
// copy results that are needed later.
//
// # Threaded mode
//
// Config.Mode selects the engine. The rules above hold for [Phase], the default. In [Threaded]
// mode Acquire waits only for the ranks that hold the requested variables, and Release informs
// waiting ranks at once. Where ranks share one copy of the arrays, a variable is a lock in this
// memory; elsewhere helper threads serve requests at any time. A program can therefore use sync
// variables as locks, for example around a work queue, and ranks meet only in Update, Barrier and
// Reduce. Acquire takes the variables of a set one by one in the order of their Bind calls, so
// ranks cannot deadlock here either. Each variable is granted in the order of the requests for it.
// With locks, the first Acquire for writing after an Update waits until all ranks have made a call
// since, because they may read what the Update has brought.
//
//	for range 10 {
//		if err := n.Acquire(set); err != nil {                  // waits for the holder only
//			return err
//		}
//		counter.Slice()[0]++
//		if err := n.Release(set); err != nil {                  // passes the lock on
//			return err
//		}
//	}
//
// There are no condition variables. A rank that waits for a condition acquires the variable that
// guards it, checks the condition, and releases the variable. Before the next check the rank
// should do other work or call Spend, because each request delays the other ranks.
//
// A program gives the same results in both modes if it does not depend on the order of phases. If
// a tenure precedes another rank's Acquire only because its phase is earlier, Threaded mode may
// grant the Acquire first. Use [Node.Fence] where that order matters, and [Request.Unordered] where
// it does not: Config.Check finds the places.
//
// # Checkpoints
//
// With Config.Checkpoints (package fagus/checkpoint) a program that calls [Node.Resume] at its
// begin and loops over [Node.Steps] goes on after the end of a run, on any number of ranks, on any
// network and in either mode. [Keep] names private memory that is saved, too.
//
// # Networks
//
// Config.Net selects the network. Nil runs all ranks as goroutines of this process
// (dimmnet/live/inproc); dimmnet/sim simulates a DIMMnet-1 cluster in virtual time. A program is
// the same on every network. Its results are also the same, unless they depend on the order in
// which conflicting requests are granted.
//
//	nic, err := sim.New(sim.Config{Env: "fagus2"})                        // DIMMnet-1
//	udp, err := sim.New(sim.Config{UDP: &sim.UDP{Loss: 0.05}, Seed: 1})   // UDP over 100BASE-TX
//	report, err := fagus.Run(ctx, fagus.Config{Nodes: 4, Net: nic}, program)
//
// Config.Transfer selects how data move between ranks: through ring slots or by PUSH. Ring slots
// are in the LLCM, the NIC's low-latency memory (docs/lab/papers.md, DIMMnet-1). Every network has
// an LLCM, but it is too small for the rings of many nodes. PUSH copies between bulk memories.
//
// # Design decisions
//
// Errors stick because ranks that go on after an error in different ways wait for each other.
// Config.Net is a network rather than a network's name, so that a program that only uses
// goroutines is not linked with the simulator. Update, Barrier and Reduce require that the rank
// holds no variable: every grant then lasts for exactly one compute phase, and the lists that
// ranks exchange need not mention variables that are still held.
package fagus
