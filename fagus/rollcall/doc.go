// Package rollcall says what every rank of a run does: which call it is in, what it
// waits for there, from whom, for how long, and at which line of the program. It is
// for runs that hang, which in a shared memory is mostly the doing of a rank that is
// not in a call at all.
//
//	board := rollcall.Open(cfg, rollcall.About{Nodes: 3, Mode: "phase"})
//	defer board.Close()
//	seat := board.Seat(0)
//	ctx = seat.Label(ctx)                  // marks the goroutine
//	seat.Enter("Acquire", set, 7)          // and what it wants
//	seat.Leave(set)                        // and what it holds
//	fmt.Print(board.Roll())
//
// # What it costs
//
// A rank says that it enters and leaves a call, under a lock of its own that nobody
// else wants. All the rest is done when a roll is made: engines are asked what they
// wait for, and Go's goroutine profile, in which every rank's goroutine has a label,
// tells the lines. So nobody keeps lines while all goes well.
//
// # How long
//
// The clock is the machine's, and it is looked at 4 times a second or more often: a
// rank does a thing for at least as long as it is said.
package rollcall
