// Package ft is NPB's 3-D Fourier transform. It solves the partial differential equation u_t =
// alpha laplace u with periodic boundaries by its spectrum. Start values are random. The spectrum
// is computed once; each of 6 iterations (20 in classes B and C) evolves it, transforms it back,
// and sums 1024 points into a checksum.
//
// It is a tutorial of a transposition, in which all ranks exchange data with all:
//
//   - Transforms along x and y need whole planes z, and transforms along z need whole lines. So a
//     rank works first on a block of planes, and then on a block of rows y of all planes.
//   - The one shared array consists of blocks: the rows of one rank within the planes of
//     another. Each of these N x N blocks is bound to its own sync variable. So a rank
//     acquires, and receives, only what it needs: N-1 blocks an iteration. The spectrum is
//     private to each rank and is not shared at all.
//   - On the way back a rank holds its rows exclusively and writes the result of the transform
//     along z into them. After a Fence it holds its planes, shared, and transforms them along x
//     and y. Another Fence prevents a fast rank from overwriting planes that a slow rank has
//     not read yet; threaded mode needs it.
//   - A rank that overwrites whole blocks declares it (Request.Writing), so Fagus compares
//     nothing.
//
// A point is transformed by the same operations wherever it lies, and checksums are
// parts.ExactSums. So the result has the same bits on any number of ranks. Ranks beyond nz and ny
// do nothing.
//
// The benchmark verifies the checksums of all iterations against the values of NPB 3.3 and 3.4,
// real and imaginary parts within 1e-12 each. The timed section is NPB's, start values included.
// NPB makes an untimed run before it; here all memory is written once.
package ft
