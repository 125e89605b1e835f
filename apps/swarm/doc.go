// Package swarm runs random programs under random faults in virtual time, and checks every run
// against the axioms of entry consistency.
//
//	c := swarm.New(1234, nil)                // a program, an engine, a network, faults: as data
//	o, err := c.Run(ctx)                     // err: ctx has ended, or the case cannot be run
//	if o.Failure != nil {
//		small, bad, err := c.Shrink(ctx, o.Failure, 1000)
//		fmt.Println(bad, small)
//	}
//
// NewCycles makes programs whose rounds run again and again, for phases that repeat.
//
// # Checks
//
//	run      the run ends without an error; after a planned crash, every working rank
//	         reports an error that names the crashed rank
//	history  consistency/history finds no violation, nor in the part before a crash
//	content  at the end every rank acquires everything and sees the result of all writes,
//	         in the order in which the exclusive tenures were granted
//	hang     the run ends within Grace of virtual time after the last fault, and within
//	         RealLimit of real time
//
// # Limits
//
// The case fixes the writes of a tenure, whatever data the tenure reads. So if a tenure reads
// wrong data, only the history check finds the error. On a UDP network, datagrams are lost,
// duplicated and reordered during the whole run, with small probabilities.
package swarm
