// Package kmeans finds clusters of points by Lloyd's iterations: each point goes to the nearest
// centre, then each centre to the mean of its points, until no point changes.
//
// It reads as a tutorial:
//
//   - Points come in batches of 256, and every rank has a block of batches (parts.Blocks), which it
//     alone writes and reads: an iteration acquires it to read, and moves nothing.
//   - Which centre is the nearest is a rank's own business until the end, and the centres are the same
//     at every rank: each gives the sums of its points and their number, and parts.ExactSums adds them.
//   - Batches are added in the order of their points, and what comes out without rounding, so the
//     result has the same bits however many ranks there are.
//   - In the end all hand in their choices and rank 0 acquires everything.
//
// Rank 0 verifies alone: no point was nearer to another centre than to its own, the new centres are the
// means of their points, the inertia (the sum of squared distances) is what the points say, and it never
// rose. A centre without points stays where it was.
//
// The first centres are points at even distances in the input. So Lloyd's iterations may end in a local
// optimum, as they do: more is not promised, nor verified.
package kmeans
