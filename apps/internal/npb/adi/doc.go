// Package adi has what NPB's benchmarks BT and SP share: the equations of a compressible gas in a
// cube of n x n x n points, their right side, a solution that is known, and the sweeps of a time
// step. A [Benchmark] has its classes, and a [Solver] for the linear systems of lines of points.
//
//	r, err := bt.Benchmark().Run(n, npb.Config{Class: npb.A})
//
// It is a tutorial of a transposition in place. A step has two sweeps:
//
//   - The sweep over planes z computes the right side of each plane, and solves along x and y,
//     while the plane is in the cache. It writes the result to a second array. Each rank has a
//     block of planes, and reads two more of the solution on each side.
//   - The sweep over rows y solves along z in each row of all planes, and adds the result to the
//     solution. Each rank has a block of rows.
//
// Both arrays are divided into tiles: the rows of one rank within planes of another. Each tile is
// bound to a sync variable. In the first sweep a rank holds the tiles of its planes, and in the
// second those of its rows; a Fence lies between. So each number moves once in each sweep at most,
// and not at all where ranks share memory. The solution is written by the owners of rows alone.
//
// A row has all its points' first components, then their second ones, and so on, for vectors. Lines
// are solved four at a time ([Quad]). If the processor has AVX2, the kernels are in assembly, with
// the same bits as in Go (rows.go).
//
// A point is computed by the same operations wherever it lies, and the squares of the norms are
// added within a plane or a row first, and then exactly. So the result has the same bits on any
// number of ranks. At most n ranks can take part.
//
// The timed section is NPB's: the steps alone. NPB makes an untimed step before it; here all memory
// is written once.
package adi
