// Package phase is the engine of the phase-split versions of Fagus: it takes a rank through one
// communication phase after another.
//
//	          Begin(list)
//	               |
//	               v
//	+-> gather: send this rank's list to all ranks, receive their lists
//	|              |  all lists have arrived
//	|              v
//	|   plan: grants and transfers, the same on every rank
//	|              |
//	|              v
//	|   transfer: send and receive data, through rings or past them
//	|              |  all transfers of this rank are done; other ranks may still transfer
//	|              v
//	|   done: stamps, versions and owners change; is the call granted?
//	|              |                    |
//	+---- no ------+                    +--- yes: the next compute phase
//
// An [Engine] is a dimmnet.Stepper: it never waits. [Engine.Call] drives it through as many phases
// as a call takes. It is a loop around two parts, which New chooses for a run (choose.go):
//
//	agreement  how every rank learns the lists of all, and all derive the same plan
//	           agreement/pairs: every rank sends its list to all, the papers' protocol
//	           agreement/tree: lists travel over a tree; phases repeat without a plan
//	movement   how data go from rank to rank: through rings, by RDMA, from memory to memory
//
// Read them in this order: engine.go, agreement/agreement.go, agreement/pairs/pairs.go,
// movement/mover.go.
//
// # Calls
//
// A rank takes part in every phase until all ranks have returned from their programs. Acquire
// lasts until its list is granted; Update, Barrier and Reduce last until all ranks are in the same
// call, and End until all ranks are in End. A rank that waits in one of these four calls sends a
// list in every phase that asks for nothing, and passes data on. Ranks may call Acquire any number
// of times, and need not call it equally often.
//
// Two ranks that wait for all ranks in different calls would wait forever. Each returns an error
// that names both.
//
// # Early messages
//
// A peer that has finished a phase may send its list for the next one at once. The list lands
// behind the data of this phase in the same ring and stays there: a rank polls a ring only while
// a list or data of the present phase are due from it. So a peer is at most one phase ahead.
//
// # Limits and costs
//
// docs/internals/messages.md has the formulas for the number of messages; a test compares them with
// a run.
//
// The list of a phase also names the variables that the rank held exclusively before the phase and
// left unchanged ("clean"). Their version advances, but no rank fetches their data.
package phase
