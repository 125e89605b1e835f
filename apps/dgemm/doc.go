// Package dgemm is the kernel of that name of the Parallel Research Kernels: C += A x B, again and again, for
// dense matrices of float64.
//
// It reads as a tutorial of a program that computes much with what moves once:
//
//   - Every rank has a block of rows of A and of C (parts.Blocks), which it alone reads and writes. They
//     move nowhere.
//   - B has blocks of rows, too, and each rank fills its own; but all ranks acquire all of it. That moves in the first
//     Acquire, before what is timed; later ones find that nobody has written it.
//   - The product is that of package gemm, which packs B first. B never changes, so it is packed once, in the
//     iteration that is not timed.
//   - The Barrier after filling is for threaded mode, where an Acquire does not wait for ranks that have not
//     asked yet.
//
// A[i][j] and B[i][j] are j. Verified is the sum of all elements of C, which is n^3 (n-1)^2 (iterations+1) / 4
// but for a relative error of 1e-8. It is added up by parts.ExactSums: so the result has the same bits
// however many ranks there are.
package dgemm
