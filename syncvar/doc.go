// Package syncvar decides which rank gets which sync variable, and from which rank its data come.
// It is pure: it uses no port, no clock and no memory of the program.
//
// A tenure is the time from the Acquire of a variable to its Release. The copyset of a variable
// is the set of ranks that have acquired it.
//
// # In phases
//
// Before a phase every rank sends its [List] to all ranks. From all lists and from the [Table],
// which is replicated, each rank derives the same grants and transfers, and applies them to its
// table. No rank asks a directory.
//
//	table.Settle(lists)                         // record which of the last tenures wrote
//	grants := Grant(nil, phase, lists)          // decide which lists are granted
//	moves := table.Acquisitions(nil, lists, grants)  // derive the transfers between ranks
//	table.Apply(lists, grants)                  // record the new owners and versions
//
// # Rules
//
// A list is granted as a whole or not at all. Lists are served in the order of the phase in which
// they were first sent. Lists of the same phase are served by rank, rotated by the phase number.
// The first list in this order is always granted, so every rank is granted within as many phases
// as there are ranks.
//
// A grant lasts for one compute phase: a rank holds nothing when it sends its next list. So an
// exclusive grant can change the owner and the version at once. The rank's next list names the
// variables that it left unchanged.
//
// Receivers of a variable whose copies have the same version form a tree. Each rank of the tree
// passes the data on to at most [Fanout] other ranks.
//
// # One by one
//
// If ranks acquire and release independently, there are no phases and no replicated table. A
// [Site] is what one rank knows of a variable: its probable owner and, at the owner, which ranks
// hold the variable and which ranks wait for it.
//
// # Limits
//
// [MaxID] variables, [dimmnet.MaxNodes] ranks.
package syncvar
