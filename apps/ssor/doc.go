// Package ssor is NPB's benchmark LU: symmetric successive over-relaxation for the compressible
// Navier-Stokes equations, in a cube of n x n x n points. Here lu is another program, SPLASH's
// factorization. There are 250 iterations, 50 in class S and 300 in class W. Each solves a lower
// and then an upper triangular system of 5 x 5 blocks, in which a point depends on its neighbours
// in x, y and z.
//
// It is a tutorial of a pipeline with data on both sides of it:
//
//   - Each rank has a block of planes z. It sweeps over the rows y of all its planes, a batch of
//     rows at a time. The next rank needs these rows of the last plane, the edge, and begins with
//     the batch as soon as it has them. The upper sweep goes the other way.
//   - Each batch of an edge is bound to a sync variable of its own. A rank acquires the batch of
//     the edge before it, shared, and that of its own edge, exclusive. An Acquire does not wait
//     for what another rank has yet to compute. So each batch has a stamp, the iteration, for
//     which the rank waits by Node.AcquireWhen.
//   - The unknowns are a parts.Grid. For the residual a rank reads its planes and two on each
//     side. In the sweeps it needs no unknowns: it has kept what it has computed from them.
//     Residuals and corrections are in private memory, but for the edges.
//   - A Fence follows when unknowns have changed, and another when they have been read. No edge
//     needs a Fence: a rank writes it again when it has read that of the other sweep, which the
//     reader has written later.
//
// A point is computed by the same operations wherever it lies. The squares of the norms are added
// within a plane first, and parts.ExactSums adds the planes. So the result has the same bits on
// any number of ranks. At most n-2 ranks can take part: 10 in class S.
//
// The benchmark verifies NPB's norms of residual and error and its surface integral, within 1e-8,
// against the values of NPB 3.3 and 3.4. The timed section is NPB's. NPB makes an iteration before
// it; here all but the edges is computed once, for the forcing and the first residual.
//
// NPB forms four blocks for each point and sweep, and inverts one of them. Here nothing is formed
// (sweep.go), so that one rank takes less than half of the time of NPB's Fortran. Operations are
// counted as NPB counts them.
package ssor
