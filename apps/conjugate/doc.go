// Package conjugate solves A x = b by conjugate gradients, for a sparse matrix A that is symmetric and positive
// definite: one of a Matrix Market file, or the 5-point matrix of Poisson's equation on a square.
//
// It reads as a tutorial of how to bind what others need, and no more:
//
//   - Every rank has a block of rows with about as many elements as any other, and of every vector the part of its rows.
//     Of these, only the vector that is multiplied by A is shared.
//   - The matrix says which parts of it a rank reads. Rows are taken 64 at a time, and those of one owner and the
//     same readers share a variable, wherever they are. So a rank acquires what its rows have columns in: of
//     Poisson's equation one row of the grid from each neighbour.
//   - A product is an Acquire to write, a Barrier, and an Acquire to read. The sums that follow each of them
//     return when all ranks have called them: so nobody writes the next vector while others read this one.
//   - Dot products are added up by 64 elements, and those sums by parts.ExactSums: so all that comes out has the same
//     bits however many ranks there are.
//
// The diagonal is the preconditioner. When the residual seems small enough it is computed anew, as b - A x, and
// if that is not, the iterations begin again from there: so what is promised is of the true residual.
//
// Rank 0 verifies alone: |b - A x| is at most Tolerance times |b|. Of Poisson's equation the solution is known, a
// product of two parabolas, for which the 5 points have no error: x may differ from it by as much as the residual allows,
// which is the condition of the matrix times as much.
package conjugate
