// Package swarm runs random programs under random faults in virtual time, and holds
// every run against the axioms of entry consistency.
//
//	c := swarm.New(1234, nil)                // a program, an engine, a network, faults: as data
//	o, err := c.Run(ctx)                     // an error says that ctx ended, or nothing can run it
//	if o.Failure != nil {
//		small, bad, err := c.Shrink(ctx, o.Failure, 1000)
//		fmt.Println(bad, small)
//	}
//
// # What is checked
//
//	run      it ends without an error, or with that of a planned crash, which every
//	         rank that was at work says, naming the rank
//	history  consistency/history finds no violation, also in what came before a crash
//	content  in the end every rank acquires all and sees what the writes make, in the
//	         order in which the exclusive tenures were granted
//	hang     it ends within Grace of virtual time after the last fault, and within
//	         RealLimit of machine time
//
// # Limits
//
// The writes of a tenure are those of the case, whatever it reads: a program that
// computes with wrong data is found by the history alone. A case does not stop to be
// faulty where a UDP network loses, doubles or holds back datagrams: that lasts for
// the whole run, with small probabilities.
package swarm
