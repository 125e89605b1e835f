// Package stencil is the kernel of that name of the Parallel Research Kernels: a star of 4r+1 weights is put on
// every point of a grid, and what it sees is added to the output; then the input grows by 1.
//
// It reads as a tutorial of programs that share a border:
//
//   - The input is a parts.Grid: ranks have blocks of rows, and the r rows at each end of a block are guarded by variables
//     of their own. So a rank that acquires its neighbours' rows (WantHalo) gets those, and no others.
//   - There are two such grids, in turn: a rank reads one, its neighbours' rows included, and writes its
//     rows of the other. So one Acquire and one Barrier make an iteration.
//   - The Barrier says in both modes that all have written what is read next, and that nobody
//     still reads what is written next. Phase mode would do without.
//   - The output is nobody else's: a plain slice, which moves nowhere.
//
// The input is x+y, whose discrete divergence is 2 everywhere: verified is the mean of the output's absolute
// values, which is 2(iterations+1) but for an error of 1e-8. It is added up by parts.ExactSums: so the
// result has the same bits however many ranks there are.
package stencil
