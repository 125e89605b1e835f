// Package rollcall reports what every rank of a run does: which call it is in, what it
// waits for there, from which ranks, for how long, and at which line of the program. It
// helps with runs that hang. The cause is often a rank that is in no call at all.
//
//	board := rollcall.Open(cfg, rollcall.About{Nodes: 3, Mode: "phase"})
//	defer board.Close()
//	monitor := board.Monitor(0)
//	monitor.Attach(engine)
//	monitor.Label(ctx)                     // labels the goroutine as the rank's
//	monitor.Enter(rollcall.Acquire, set)   // the rank wants set
//	monitor.Leave(set)                     // the rank holds set
//	fmt.Print(board.Roll())
//
// # Cost
//
// A rank records by one atomic operation that it enters or leaves a call. All other work is done
// when a roll-call is made: the Board asks each engine what its rank waits for, and finds source
// lines in Go's goroutine profile, in which every rank's goroutine has a label. So source lines
// cost nothing in a normal run.
//
// # Durations
//
// Durations are measured by the machine's clock, at least 4 times a second. They are lower
// bounds: a rank may have been in the same state for up to one interval longer.
package rollcall
