// Package p2p is the kernel Synch_p2p of the Parallel Research Kernels. Every point of a grid
// depends on its left and its lower neighbour, so the ranks form a pipeline.
//
// It is a tutorial of synchronization between two ranks:
//
//   - Ranks have blocks of columns in private memory. Only the last column of each block is
//     shared, because the next rank needs it: the edge. The rows of an edge form batches, and
//     each batch is bound to a sync variable of its own.
//   - A rank acquires a batch of the edge on its left, shared, together with the same batch of
//     its own edge, exclusive. It computes these rows of its columns, and releases both.
//   - An Acquire does not wait for ranks that have not acquired yet. So the first number of a
//     batch is the iteration that wrote it, and a rank that finds an old number acquires again.
//     Edges are bound from the last rank to the first, and threaded mode acquires the variables
//     of a set in this order. So a rank already holds its own edge while it waits for the left
//     edge, and the next rank has to wait for both. So ranks seldom find an old number in
//     threaded mode.
//   - The last rank passes the corner to rank 0 by one more variable. Rank 0 begins the next
//     iteration with it. So no rank overwrites unread batches, and no Barrier is needed.
//
// # Where phases hurt
//
// In phase mode every batch is a phase of all ranks, whether they need it or not. An iteration on
// N ranks takes at least N-1 phases more than there are batches, and a phase takes longer with
// more ranks. In threaded mode only two ranks take part in a batch, but they exchange two
// requests, one after the other. So phases are better for few ranks. With more than 12 nodes lists
// travel over a tree, and from the third iteration on phases repeat, which keeps them ahead up to
// 64 nodes; with --lists all threaded mode is ahead from 24 nodes on. The table lists the
// milliseconds of an iteration on 1000 x 1000 points on simulated nodes, phase / threaded
// (fagus run p2p --iterations 3 --nodes N --batch B --mode M); one node takes 20.0:
//
//	nodes          2            4            8           16           32            64
//	1 row    16.9 / 56.9  18.3 / 55.8  27.9 / 56.1  31.0 / 59.4  41.5 / 67.6  78.3 / 110.8
//	8 rows   11.2 / 17.1   7.1 / 12.5   6.2 / 10.4   4.7 /  9.9   5.1 / 11.4   7.7 /  18.3
//	32 rows  10.8 / 12.4   6.3 /  7.8   4.4 /  5.7   3.3 /  5.4   3.5 /  6.2   5.7 /   9.5
//
// Larger batches cost less but fill the pipeline later. PRK allows only batches of one row: rates
// with larger batches cannot be compared with published ones.
//
// # Verification
//
// The first row holds 0 to m-1, the first column 0 to n-1, and each iteration copies its last
// corner, negated, to the first. So the last corner is (iterations+1)(m+n-2), which the kernel
// verifies within a relative error of 1e-8. All numbers are integers, exact below 2^53, so the
// result has the same bits on any number of ranks. Rank 0 has at least two columns, and every
// other rank one; ranks without columns do nothing.
package p2p
