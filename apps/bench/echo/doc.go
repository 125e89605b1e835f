// Package echo is a network for benchmarks with two ranks. Only rank 0 runs, and it waits for
// nobody. A call then takes the time of the rank's own work, on any machine and beside any load:
//
//	report, err := fagus.Run(ctx, fagus.Config{Nodes: 2, Net: echo.New()}, program)
//
// Rank 1 answers each inline request at once, in the Store that brings it. It makes the calls of
// rank 0. It answers an Acquire of nothing by an exclusive Acquire of variable 0, and any other
// Acquire by an Acquire of nothing. So it serves only programs with one variable, whose two ranks
// take turns.
package echo
