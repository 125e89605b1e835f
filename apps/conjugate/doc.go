// Package conjugate solves A x = b by conjugate gradients. A is a sparse, symmetric, positive
// definite matrix: one from a Matrix Market file, or the 5-point matrix of Poisson's equation on
// a square.
//
// It is a tutorial of how to bind exactly the data that other ranks need:
//
//   - Every rank has a block of rows, with about as many matrix elements as any other, and the
//     corresponding part of every vector. Only the vector that is multiplied by A is shared.
//   - The matrix determines which parts of that vector a rank reads. Rows are grouped into
//     batches of 64, and all batches with the same owner and the same readers are bound to one
//     sync variable, wherever they are. So a rank acquires only rows that its part of the
//     matrix refers to: for Poisson's equation one row of the grid from each neighbour.
//   - A product takes an Acquire to write, a Fence, and an Acquire to read. The sum that
//     follows it returns only when all ranks have called it, so no rank writes the next vector
//     while other ranks still read this one.
//   - Dot products are added in batches of 64 elements, and parts.ExactSums adds the batches
//     without rounding. So the result has the same bits on any number of ranks.
//
// The diagonal is the preconditioner. When the recurrence says that the residual is small enough,
// the program computes the true residual b - A x. If the true residual is too large, the
// iterations restart from x. So Tolerance applies to the true residual.
//
// Rank 0 verifies alone that |b - A x| is at most Tolerance times |b|. For Poisson's equation the
// solution is known: a product of two parabolas, for which the 5-point formula is exact. The
// error of x may be at most the condition number of the matrix times the residual.
package conjugate
