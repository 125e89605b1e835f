// Package stencil is the stencil kernel of the Parallel Research Kernels. It applies a star of
// 4r+1 weights to every point of a grid and adds the results to the output; then it adds 1 to
// every point of the input.
//
// It is a tutorial of programs whose ranks share borders:
//
//   - The input is a parts.Grid: ranks have blocks of rows, and the r rows at each end of a block
//     are bound to sync variables of their own. So a rank that acquires its neighbours' border
//     rows (WantHalo) receives these rows and no others.
//   - There are two such grids, used alternately. A rank reads one of them, including its
//     neighbours' border rows, and writes its rows of the other. So an iteration needs only one
//     Acquire and one Fence.
//   - The Fence ensures that all ranks have written the next input, and that no rank still
//     reads the grid that the next iteration overwrites. Threaded mode needs it; in phase mode it
//     costs nothing.
//   - The output is private to each rank: it is an ordinary slice and never moves.
//
// The input is x+y, for which the weights yield 2 at every point. The kernel verifies the mean of
// the absolute values of the output, which must be 2(iterations+1) within 1e-8. parts.ExactSums
// adds it, so the result has the same bits on any number of ranks.
package stencil
