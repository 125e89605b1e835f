// Package dgemm is the dgemm kernel of the Parallel Research Kernels: it repeats C += A x B for
// dense matrices of float64.
//
// It is a tutorial of a program that computes much with data that moves once:
//
//   - Every rank has a block of rows of A and of C (parts.Blocks). It is the only one that
//     reads and writes them, so they never move.
//   - B is divided into blocks of rows, too, and each rank fills its own. But all ranks acquire
//     all of B. It moves in the first Acquire, before the timed section; later Acquires find B
//     unchanged.
//   - Package gemm computes the product, and packs B first. B never changes, so it is packed
//     once, in the untimed iteration.
//   - Threaded mode needs the Fence after filling, because an Acquire does not wait for ranks
//     that have not filled their blocks yet.
//
// A[i][j] and B[i][j] are j. The kernel verifies the sum of all elements of C, which must be n^3
// (n-1)^2 (iterations+1) / 4 within a relative error of 1e-8. parts.ExactSums adds it, so the
// result has the same bits on any number of ranks.
package dgemm
