// Package reproduce runs the measurements of the papers on the simulators and compares the
// results with the papers' figures (docs/lab/papers.md).
//
//	table, err := reproduce.AOTF(ctx, reproduce.Config{})
//	for _, row := range table.Rows { fmt.Println(row.Env, row.Quantity, row.Model) }
//
// A measurement of DIMMnet-1 is a program on the ports of a simulated network, as in the papers:
// it stores, polls, and reads a clock. The preset has the time that the program takes between
// seeing a value and storing the next, and the time to read the clock. The papers' figures
// (paper.toml) are only used for the comparison.
//
// # Phases of polls
//
// A real poll meets a packet at any phase. In the simulator all rounds of a program would have
// the same phase, so one side waits for a random part of a poll before it starts to poll, where
// this does not lengthen the round. Config.Seed determines these times.
//
// # What the papers leave open
//
// The papers do not say how their sums distinguish a value that has arrived from one that has
// not. Here (package dimmnet/lib/collective) values of 4 bytes share a word with a count, and a
// reserved NaN marks the absence of a double. A 64-bit integer has no unused encoding and needs
// one more read. This agrees with the papers, whose sum of 64-bit unsigned integers is slower
// than the others.
//
// # What was predicted
//
// No parameter is fitted to environments E and F, to the rendezvous of MPI, and to two boards of
// the Computer Colony with the links 32 and twice. Most of their figures were kept from the model
// until it had predicted them. Row.Predicted is the prediction, which stays as it was
// (predictions.toml); Row.Model is what the model says today.
package reproduce
