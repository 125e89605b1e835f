// Package phase is the engine of the phase-split versions of Fagus: it takes a
// rank through one communication phase after another.
//
//	          Begin(list)
//	               |
//	               v
//	+-> gather: the own list to all, the lists of all from them
//	|              |  all lists are here
//	|              v
//	|   plan: grants and transfers, the same on every rank
//	|              |
//	|              v
//	|   transfer: pieces out where a slot is free, in where one has arrived
//	|              |  all own transfers are done, whatever the others do
//	|              v
//	|   done: stamps, versions and owners change; the call is granted?
//	|              |                    |
//	+---- no ------+                    +--- yes: the next compute phase
//
// An [Engine] is a dimmnet.Stepper: it never waits. [Engine.Call] drives it
// through as many phases as a call takes.
//
// # Calls
//
// A rank takes part in every phase until all have returned from their programs.
// Acquire lasts until its list is granted; Update and Barrier until all ranks
// are in the same call; End until all are in End. While a rank waits it keeps
// sending lists and passing on data. Two ranks that wait in different calls
// for all, would wait for ever: both get an error that names them.
//
// # What a node may see early
//
// A peer that is done with a phase may send its list for the next one at once.
// It lands behind the data of this phase in the same ring, and rests there: a
// rank polls a ring only while something of the present phase is due from it.
// So a peer is never more than one phase ahead.
//
// # Message counts
//
// docs/messages.md has the formulas, and a test compares them with a run.
//
// # Where this differs from the design
//
// Ranks need not call Acquire equally often: one that waits in Update, Barrier
// or End serves the others with lists that want nothing. So only calls that can
// never come together are errors.
//
// The list of a phase also says which variables of the last exclusive tenure
// were left unchanged ("clean"), for a few bytes. Their version still advances,
// but nobody fetches it. And the paper's flags "not yet" cost no write; see
// package ringbuf.
package phase
