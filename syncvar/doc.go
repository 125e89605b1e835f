// Package syncvar decides who gets which sync variable, and from whom its data
// comes. It is pure: no port, no clock, no memory of the program.
//
// # In phases
//
// Before a phase every rank sends its [List] to all. From the lists of all
// ranks and the [Table], which is replicated, each rank derives the same
// grants and transfers and applies them to its table. Nobody asks a directory.
//
//	table.Settle(lists)                         // what became of the last tenures
//	grants := Grant(phase, lists)               // who may go on
//	moves := table.Acquisitions(lists, grants)  // who sends what to whom
//	table.Apply(lists, grants)                  // owners and versions afterwards
//
// # Rules
//
// All of a list is granted or nothing of it. Lists are served in order of the
// phase in which they were first sent, then by rank, rotated by the phase
// number, so that the first in that order is always granted and every rank is
// granted within as many phases as there are ranks.
//
// A grant lasts for one compute phase: a rank holds nothing when it sends its
// next list. So an exclusive grant can move the owner and the version at once;
// the next list says which of those variables were left unchanged.
//
// When many ranks miss the same versions of a variable, they form a tree in
// which each passes on to at most [Fanout] others what it receives.
//
// # One by one
//
// Where ranks acquire and release each for itself, there are no phases and no table
// that all agree on. A [Site] is what one rank knows of a variable: the probable
// owner and, at the owner, who holds it and who waits.
//
// # Limits
//
// [MaxID] variables, [dimmnet.MaxNodes] ranks.
package syncvar
