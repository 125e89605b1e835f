// Package transpose is the kernel of that name of the Parallel Research Kernels: B += A^T, and then A += 1.
//
// It reads as a tutorial of programs in which everybody needs a part of everybody's:
//
//   - Ranks have blocks of the columns of A and of B. To make its columns of B a rank needs its
//     rows of A, some of every rank's columns: one block for each pair of ranks.
//   - A is laid out by these blocks, not by whole columns: so each is one range of the array, guarded by a variable
//     of its own, and a rank acquires the blocks that it needs and no others.
//   - There are two A, in turn: a rank reads one, and writes its columns of the other. So one
//     Acquire and one Barrier make an iteration, in both modes.
//   - B is nobody else's: a plain slice, which moves nowhere.
//
// With A(i,j) = i + nj in the beginning, B(i,j) = (ni + j)(iterations+1) + iterations(iterations+1)/2 in the end.
// Verified is the sum of all absolute differences to that. All numbers are integers, and exact
// while they are below 2^53: so the node count changes no bit.
package transpose
