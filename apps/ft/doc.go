// Package ft is NPB's 3-D Fourier transform: a partial differential equation, u_t = alpha laplace u with
// periodic boundaries, is solved by its spectrum. Start values are random; the spectrum is made once, and in
// each of 6 iterations it evolves, is transformed back, and 1024 points are summed up.
//
// It reads as a tutorial of a transposition, by which all ranks exchange data with all:
//
//   - Transforms along x and y need whole planes z, those along z whole lines. So a rank has
//     a block of planes at one time, and at another a block of rows y of all planes.
//   - The one shared array lies in blocks: the planes of one rank that are rows of another. Each of
//     these N x N blocks has a variable of its own, so a rank acquires, and gets, just what it needs: N-1
//     blocks an iteration. The spectrum is nobody else's, and lies in the rank's own memory.
//   - Back: a rank holds its rows exclusively, and writes there what it has transformed along z. After a
//     Barrier it holds its planes, shared, and transforms them along x and y. Another Barrier keeps a fast
//     rank from writing what a slow one has not read yet; threaded mode needs it.
//   - Who writes all of a block says so (Request.Writing): then nothing is compared.
//
// Points are transformed in the same way wherever they lie, and checksums are parts.ExactSums: so
// results have the same bits however many ranks there are. Any number of ranks is allowed; those beyond
// nz and ny do nothing.
//
// Verified are the checksums of all iterations, with the values of NPB 3.3 and 3.4 within 1e-12, real and
// imaginary parts each. The timed section is NPB's, from the start values on, but without the run
// before, by which NPB touches all memory.
package ft
