// Package transpose is the transpose kernel of the Parallel Research Kernels: B += A^T, and then
// A += 1.
//
// It is a tutorial of programs in which every rank needs a part of every other rank's data:
//
//   - Ranks have blocks of columns of A and of B. To compute its columns of B a rank needs the
//     corresponding rows of A. These lie in the columns of all ranks: one block for each pair
//     of ranks.
//   - A is stored by these blocks, not by whole columns. So each block is one contiguous range,
//     bound to a sync variable of its own, and a rank acquires just the blocks that it needs.
//   - There are two copies of A, used alternately: a rank reads one and writes its columns of
//     the other. So an iteration needs only one Acquire and one Fence, in both modes.
//   - B is private to each rank: it is an ordinary slice and never moves.
//
// A(i,j) starts as i + nj, so B(i,j) ends as (ni + j)(iterations+1) + iterations(iterations+1)/2.
// The kernel verifies the sum of the absolute differences from that. All numbers are integers,
// exact below 2^53, so the result has the same bits on any number of ranks.
package transpose
