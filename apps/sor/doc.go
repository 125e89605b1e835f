// Package sor finds a harmonic function by red-black successive over-relaxation. The border of a
// grid is fixed. Every other point moves towards, and beyond, the mean of its four neighbours,
// until nothing changes.
//
// It is a tutorial of programs that overwrite in place what their neighbours read:
//
//   - Points are red or black like the squares of a chess board. A red point has only black
//     neighbours, so all red points can change at once, then all black ones. The order of
//     additions does not depend on the number of ranks, and neither do the bits of the result.
//   - Each colour is a parts.Grid of its own with half of the columns. So a rank can write its
//     red rows while others read black ones, and only the colour that a neighbour needs moves.
//   - Half an iteration acquires this rank's rows of one colour exclusively, and of the other
//     colour shared, including the neighbours' rows at both ends. A Fence ends it: in both
//     modes no rank reads an unfinished colour, or overwrites a colour in use.
//
// The program verifies the solution x^2 - y^2 on the unit square, whose values are given on the
// border. Its second differences cancel, so it also solves the discrete equation, and no point
// may differ from it by more than 1e-8. With the best factor, 2/(1+sin(pi h)) for points h apart,
// the solution takes about 4/h iterations; the default is 5 iterations per row.
package sor
