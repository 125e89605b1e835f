// Package ep is NPB's "embarrassingly parallel" benchmark. It generates 2^M pairs of normal
// deviates, counts the pairs in each of ten square rings around the origin, and sums both
// coordinates.
//
// It is a tutorial of the simplest kind of program:
//
//   - Ranks share nothing while they compute. Pairs come in batches of 2^16, and
//     npb.Random.Skip finds the first random number of any batch. So every rank computes a
//     block of batches (parts.Block).
//   - At the end parts.Sums adds the counts, and parts.ExactSums adds the sums of the batches
//     without rounding. The result therefore has the same bits on any number of ranks.
//
// The benchmark verifies the two sums that NPB publishes up to version 3.4.1, the sums of
// absolute values that replace them in NPB 3.4.2, and the number of pairs.
package ep
