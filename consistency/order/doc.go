// Package order finds tenures of a variable that only the phases of the run happened to order.
// Such a program gives the right result in Phase mode, and a different one in each run in Threaded
// mode. The package is pure: it needs only what the ranks did.
//
//	rec := order.NewRecorder()                 // one for each rank
//	rec.Acquired("main.go:41", order.Tenure{Var: v, Exclusive: true, Version: 3})
//	rec.Released(nil)
//	rec.Met()                                  // a Fence, Barrier, Update or Reduce
//	...
//	if race := order.Find(logs); race != nil { // logs[r] is the Log of rank r
//		fmt.Println(race)
//	}
//
// # What is ordered
//
// The calls of a rank are ordered. A Fence, a Barrier, an Update or a Reduce comes after everything
// that any rank did before it and before everything that any rank does after it. Two tenures of a
// variable by different ranks, at least one of them exclusive, must be ordered by these rules. The
// order in which a variable is granted does not count, because it differs between modes and runs.
//
// A program may state that a tenure is correct in whichever order it is granted
// (Tenure.Unordered): then the variable is a lock, or a value of which any version will do. Two
// unordered tenures need no other order. They give one, as locks do: if an unordered exclusive
// tenure changes the data, and another unordered tenure sees the change, everything before the
// first precedes everything after the second. So one rank may put a task into a guarded queue, and
// another may take it and use what the first rank prepared.
//
// # Costs
//
// A Recorder keeps one record for each variable, access and line between two meetings, and one for
// each unordered tenure. It stops at Most records: later meetings are not checked. Find compares
// each exclusive tenure with all tenures of its variable between the same two meetings.
package order
