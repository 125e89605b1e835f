// Package sp is NPB's scalar-pentadiagonal benchmark: a flow in a cube of n x n x n points, by the
// method of alternating directions. A time step computes the right side, and solves linear systems
// along the lines of points in x, then in y, then in z. In the characteristic variables of a
// direction a system falls into five, which couple each point with two on both sides. There are 400
// steps, and 100 in class S.
//
// Package adi says how the ranks divide the work, and has all but the systems. This package solves
// them for four lines at once. If the processor has AVX2, it does so in assembly, with the same
// bits as in Go (kernels.go).
//
// The benchmark verifies the norms of the right side and of the error after the last step, within
// 1e-8, against the values of NPB 3.3 and 3.4.
package sp
