// Package agreement says what an agreement of a phase is: how every rank learns the lists of all
// ranks, and how all derive the same plan from them.
//
//	pairs   every rank sends its list to all others: the papers' protocol
//	tree    lists are gathered and spread over a tree, where phases that repeat need no lists
//
// Both implement [Protocol], which the loop of package phase drives; their outcome is a value.
package agreement
