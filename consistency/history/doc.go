// Package history checks recorded runs against the axioms of entry consistency. It is
// pure, and knows neither engine nor port: what a run has done is enough.
//
//	h := history.New()
//	_, err := fagus.Run(ctx, fagus.Config{History: h}, program)
//	if v := h.Check(); v != nil {
//		fmt.Println(v)          // which axiom, which ranks, which variable, and why
//	}
//
// # What is recorded
//
// Every rank keeps a list of its own: tenures with their variable, mode and version,
// Updates, Barriers, Reduces, and looks at variables outside of tenures. With each goes the
// content of what the variable guards: itself if it has up to 8 bytes, else a hash of 64
// bits. So every variable is one item, read when a tenure begins and written when an
// exclusive one ends. Versions come from the runtime; the checker takes them for
// what they claim to be, the order of exclusive tenures, and finds out whether that
// order is possible and whether all saw what it says.
//
// # What is checked
//
//	A0 form        tenures begin and end in turn; nobody holds a variable twice
//	A1 exclusion   no version is given twice; by the clock, which all ranks of a run
//	               share, no exclusive tenure overlaps another of its variable
//	A2 order       program order, the order of tenures and that of meetings have no
//	               cycle together. The smallest cycle is reported
//	A3 visibility  a tenure begins with what the exclusive one before it left; an Update
//	               brings what the last one left that had ended before it
//	A5 snapshot    a rank's copy changes in its own exclusive tenures, and by its own Acquire
//	               and Update alone
//
// A4 (what an unguarded read may see), A6 (a barrier refreshes nothing) and A7 (nothing
// out of thin air) follow: every content that is seen is held against one that is
// known, the rank's own before it (A5) or what another left (A3). A8 is about epochs, of
// which a run has one: nothing recovers from a crash yet.
//
// # What it costs
//
// Without a History a call compares a pointer with nil: against the commit before there
// was one, least of 15 runs in turn, a Barrier of two ranks takes 3.46 us (3.50 before), a
// hand-over of 4096 bytes 8.47 us (8.70), of 8 bytes 7.51 us (7.13). With one, what a
// variable guards is hashed three times a tenure, with some 0.9 GB/s: go test ./fagus -bench
// AcquireRelease, a tenure of one rank alone, takes 2.0 us instead of 1.3 for 8 bytes, 17
// instead of 2.5 for 4096, 3.6 ms instead of 0.24 for 1 MiB. Virtual time sees none of it.
//
// # Limits
//
// Two contents of one hash are taken for the same: 1 in 2^64. All events stay in
// memory, 48 bytes each. The check takes time in proportion to the events, and to sort
// the tenures of a variable.
package history
