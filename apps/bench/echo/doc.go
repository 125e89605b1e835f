// Package echo is a network for benchmarks: of two ranks only rank 0 runs, and it waits for nobody.
// A call then takes the time of the rank's own work, on any machine and beside any load:
//
//	report, err := fagus.Run(ctx, fagus.Config{Nodes: 2, Net: echo.New()}, program)
//
// Rank 1 answers each inline request at once, in the Store that brings it. It makes the calls that
// rank 0 makes. To an Acquire of nothing it answers by an Acquire of variable 0, exclusively, and
// to any other by an Acquire of nothing. So it serves programs with one variable, whose two ranks
// take turns, and no others.
package echo
