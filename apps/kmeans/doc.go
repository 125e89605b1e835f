// Package kmeans finds clusters of points by Lloyd's algorithm: each point is assigned to the
// nearest centre, then each centre moves to the mean of its points, until no point changes its
// centre.
//
// It is a tutorial of a computation on private data with global sums:
//
//   - Points come in batches of 256, and every rank has a block of batches (parts.Blocks). Only
//     this rank writes and reads its block, so the Acquire in each iteration moves nothing.
//   - Every rank has a copy of all centres, and assigns its own points by itself. Per centre it
//     computes the sum and the number of its points, and parts.ExactSums adds these numbers over
//     all ranks.
//   - Coordinates are added within a batch in the order of its points, and batches are added
//     without rounding. So the result has the same bits on any number of ranks.
//   - The initial centres are points of several ranks, so all ranks gather them (parts.Vectors).
//   - In the end rank 0 gathers the assignment of all points (parts.Vectors), and acquires the
//     points.
//
// Rank 0 verifies alone that no point was nearer to another centre than to its own, that the new
// centres are the means of their points, that the inertia (the sum of squared distances) is
// correct, and that it never rose. A centre without points stays in place.
//
// The initial centres are points at equal distances in the input. Lloyd's algorithm may end in a
// local optimum, so the program neither promises nor verifies a global one.
package kmeans
