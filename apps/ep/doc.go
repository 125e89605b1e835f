// Package ep is NPB's "embarrassingly parallel": 2^M pairs of normal deviates, of which it counts
// in which square ring around 0 each lies, and the sums of both coordinates.
//
// It reads as a tutorial of the simplest kind of program:
//
//   - Nothing is shared while it computes. Pairs come in batches of 2^16, whose random numbers begin
//     anywhere in the sequence (npb.Random.Skip), so every rank has a block of batches (parts.Block).
//   - In the end the counts are added by parts.Sums, and the sums of batches by parts.ExactSums: so the
//     result has the same bits however many ranks there are.
//
// Verified are both sums by the values up to NPB 3.4.1, the sums of absolute values, which
// NPB 3.4.2 checks in their place, and the number of pairs.
package ep
