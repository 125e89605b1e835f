// Package fagus is a software distributed shared memory with entry
// consistency: programs on several nodes share arrays, guard them with sync
// variables, and compute on plain slices in between.
//
//	report, err := fagus.Run(ctx, fagus.Config{Nodes: 4}, func(n *fagus.Node) error {
//		c, err := fagus.NewArray[float64](n, "C", 400)          // collective: the same on every rank
//		if err != nil {
//			return err
//		}
//		v, err := n.Bind("all of C", c.All())                   // collective, too
//		if err != nil {
//			return err
//		}
//		set := n.Set(fagus.Want(v, fagus.Exclusive))
//		if err := n.Acquire(set); err != nil {                  // a communication phase
//			return err
//		}
//		c.Slice()[n.Rank()]++                                   // a compute phase: no polling
//		if err := n.Release(set); err != nil {                  // no communication
//			return err
//		}
//		return n.Update()                                       // a communication phase
//	})
//
// # The promise
//
// While a rank holds a variable, it sees in the bound bytes what the last
// exclusive holder left there, and no other rank changes them. Outside of a
// tenure the bytes of the rank's own copy keep what its last Acquire or Update
// of the variable brought; nothing more is promised about them. (With
// Config.Placement shared there is one copy for all ranks: the bytes keep it until the
// rank's next collective call.) A byte is guarded by at most one variable.
//
// # Rules for programs
//
// Every rank runs the same function. NewArray and Bind are collective: all
// ranks make the same calls in the same order, before the data are used.
// Acquire, Update, Barrier and Reduce are communication phases in which all ranks
// take part: one that waits in any of them, or has returned, serves the others.
// All but Acquire return when all ranks have called them. [Reduce] is a Barrier that
// folds one number of every rank, to a sum say, for about the same price.
//
// A rank holds one set at a time: whoever wants more puts it into one set, and
// releases the set before the next collective call. A set is granted as a
// whole, so there is no deadlock; who asked first is served first.
//
// Config.Check holds a program to these rules: an access to what the rank does not
// hold ends the run, and the error names the line and the mend. docs/check.md says
// what it sees, and docs/gallery.md what it says.
//
// # Threaded mode
//
// Config.Mode chooses the engine. In [Phase], the default, all of the above holds.
// In [Threaded] helper threads serve requests at any time. Acquire is a rank's own:
// it waits only for those that hold what it wants, and Release tells at once. So
// locks work, a work queue say, and ranks need not come together but in Update,
// Barrier and Reduce. A set is acquired variable by variable, in the order of their Bind calls,
// so there is no deadlock either; who asked first for a variable is served first.
//
//	for range 10 {
//		if err := n.Acquire(set); err != nil {                  // waits for the holder alone
//			return err
//		}
//		counter.Slice()[0]++
//		if err := n.Release(set); err != nil {                  // the next may have it
//			return err
//		}
//	}
//
// There are no condition variables. Who waits for a condition acquires, looks, releases,
// and does other work, or calls Spend, before it looks again: a rank that asks again at
// once only makes the others wait.
//
// A program runs unchanged in both if it does not count on the order of phases:
// that an Acquire is a later phase than a Release of another rank is nothing that
// threaded mode knows. A Barrier between the two says it everywhere.
//
// A Node and what it makes belong to the goroutine of its rank. An array's
// memory lives outside the Go heap and ends with the program function: copy
// what is to outlive it.
//
// # Where it runs
//
// Config.Net chooses the network: nil is one process with real goroutines
// (dimmnet/inproc); dimmnet/sim is a simulated DIMMnet-1 in virtual time. The
// program is the same, and so are its results, as far as they do not depend on
// the order in which conflicting requests are granted.
//
//	nic, err := sim.New(sim.Config{Env: "fagus2"})                        // DIMMnet-1
//	udp, err := sim.New(sim.Config{UDP: &sim.UDP{Loss: 0.05}, Seed: 1})   // UDP over 100BASE-TX
//	report, err := fagus.Run(ctx, fagus.Config{Nodes: 4, Net: nic}, program)
//
// Config.Transfer chooses how data go there: through slots in the LLCM, which
// every network has but of which a large one has too few, or by PUSH between
// bulk memories.
//
// # Where this differs from the design
//
// NewArray and Bind return errors instead of keeping them for later: what is
// wrong is best said where it is. Config takes a network, not its name: so a
// program that uses goroutines alone is not linked with the simulator and its
// libraries. Barrier, like Acquire and Update, wants the rank to hold nothing:
// then every grant lasts for exactly one compute phase, and no list has to say
// what is still held.
package fagus
