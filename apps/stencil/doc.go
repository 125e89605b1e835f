// Package stencil is the stencil kernel of the Parallel Research Kernels. It applies a star of
// 4r+1 weights to every point of a grid and adds the results to the output; then it adds 1 to
// every point of the input.
//
// It is a tutorial of programs whose ranks share borders:
//
//   - The input is a parts.Grid: ranks have blocks of rows, and the r rows at each end of a block
//     are bound to sync variables of their own. So a rank that acquires its neighbours' border
//     rows (WantHalo) receives these rows and no others.
//   - An iteration has two phases. First a rank holds the neighbours' border rows, shared, and
//     copies them. Then it holds its own rows exclusively, applies the star, and grows each row
//     in place as soon as no star reads it any more. Two grids that are used in turn
//     (parts.Pair) would save a phase, but every number would come from memory and go to other
//     memory, and the large grid takes longer than a phase.
//   - A Fence ends each phase: no rank overwrites border rows before its neighbours have copied
//     them, or copies rows that are not yet written.
//   - The output is private to each rank: it is an ordinary slice and never moves.
//
// The input is x+y, for which the weights yield 2 at every point. The kernel verifies the mean of
// the absolute values of the output, which must be 2(iterations+1) within 1e-8. parts.ExactSums
// adds it, so the result has the same bits on any number of ranks.
package stencil
