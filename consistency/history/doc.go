// Package history checks recorded runs against the axioms of entry consistency (docs/lab/papers.md,
// Entry consistency). It is pure: it needs only the record of a run, no engine and no port.
//
//	h := history.New()
//	_, err := fagus.Run(ctx, fagus.Config{History: h}, program)
//	if v := h.Check(); v != nil {
//		fmt.Println(v)          // which axiom, which ranks, which variable, and why
//	}
//
// # What is recorded
//
// Every rank records its own events: tenures (the time from Acquire to Release) with variable,
// access and version, Updates, Barriers, Reduces, and observations of variables outside of
// tenures. Each event has the content of the variable: the guarded bytes if there are up to 8,
// else a hash of 64 bits. So a variable is one item, which is read when a tenure begins and
// written when an exclusive tenure ends. The runtime gives the versions. The checker orders the
// exclusive tenures of a variable by version. It checks whether this order is possible, and
// whether all contents that ranks saw agree with it.
//
// If ranks are processes, each encodes its record (Recorder.Encode), and the others decode it
// (History.Decode). Package fagus does so at the end of a run.
//
// A rebinding (fagus.Node.Rebind) changes which bytes a variable guards, and so begins a new item:
// the next tenure of the variable must be exclusive, and may begin with any content.
//
// # What is checked
//
//	A0 form        tenures begin and end in turn; no rank holds a variable twice
//	A1 exclusion   no version is granted twice; by the clock, where all ranks of a run
//	               share one, no exclusive tenure overlaps another tenure of its variable
//	A2 order       the union of program order, the order of tenures and the order of meetings
//	               has no cycle. The smallest cycle is reported
//	A3 visibility  a tenure begins with the content at the end of the exclusive tenure before;
//	               an Update brings the content at the end of the last exclusive tenure
//	A5 snapshot    a rank's copy changes only in its own exclusive tenures, and by its own
//	               Acquire and Update
//
// A4 (unguarded reads), A6 (a barrier refreshes nothing) and A7 (no value out of thin air) follow,
// because the checker compares every observed content with a known one: with what the same rank
// saw earlier (A5), or with what another rank left (A3). A8 is about epochs after a crash. A run
// has only one epoch, because no run recovers from a crash so far.
//
// # Costs
//
// Without a History each call only compares a pointer with nil. A Barrier of two ranks takes 3.46
// us (3.50 in the commit before History), a hand-over of 4096 bytes 8.47 us (8.70), and of 8 bytes
// 7.51 us (7.13); these are minima of 15 alternating runs. With a History the guarded bytes are
// hashed three times per tenure, at some 0.9 GB/s. A tenure of a single rank (go test ./fagus
// -bench AcquireRelease) takes 2.0 us instead of 1.3 us for 8 bytes, 17 us instead of 2.5 us for
// 4096, and 3.6 ms instead of 0.24 ms for 1 MiB. Virtual time does not change.
//
// # Limits
//
// Two different contents have the same hash with a probability of 1 in 2^64. All events stay in
// memory, 48 bytes each. The check takes time in proportion to the number of events, plus the
// time to sort the tenures of each variable.
package history
