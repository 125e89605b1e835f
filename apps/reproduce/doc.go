// Package reproduce runs the measurements of the DIMMnet-1 papers on the
// simulator and lays its results beside theirs.
//
//	table, err := reproduce.AOTF(ctx, reproduce.Config{})
//	for _, row := range table.Rows { fmt.Println(row.Env, row.Quantity, row.Model) }
//
// Each measurement is a program on the ports of a simulated network, as the
// papers describe theirs: it stores, polls, and reads a clock. What the program
// itself costs between seeing a value and storing the next, and what reading the
// clock costs, are times of the preset. So nothing here knows what comes out;
// the papers' figures (paper.toml) are only looked at to print them.
//
// # Phases of polls
//
// A real poll meets a packet at any phase. In the simulator every round of a
// program would be like the one before, so one side waits for a random part of a
// poll before it starts to poll, where that does not lengthen the round. The seed
// is Config.Seed.
//
// # What the papers leave open
//
// How their sums tell a value that has come from one that has not. Here (package
// phase/collective): values of 4 bytes share a word with the count of the phase,
// a double is told by a reserved NaN, and a 64-bit integer, which has no value to
// spare, needs a flag behind it and one read more. That is where the papers
// measured their 64-bit unsigned sum to be slower than the others.
//
// # Environments E and F
//
// Nothing is fitted to them. Their rows without a figure of the papers carry an
// uncertainty, the largest of: the worst error of the same quantity in A to D; the
// worst of the loops that are known of E and F; and what it would be if a P4's
// test program took as long as a P3's, bound by the bus and not by the CPU.
package reproduce
