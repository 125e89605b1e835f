// Package bt is NPB's block-tridiagonal benchmark: a flow in a cube of n x n x n points, by the
// method of alternating directions. A time step computes the right side, and solves linear systems
// along the lines of points in x, then in y, then in z. A system couples neighbours by blocks of 5
// x 5 numbers. There are 200 steps, and 60 in class S.
//
// Package adi says how the ranks divide the work, and has all but the systems. This package solves
// them for four lines at once, each block when elimination needs it: only the blocks after
// elimination are kept, for one line. If the processor has AVX2, the blocks are computed in
// assembly, with the same bits as in Go (blocks.go).
//
// The benchmark verifies the norms of the right side and of the error after the last step, within
// 1e-8, against the values of NPB 3.3 and 3.4.
package bt
