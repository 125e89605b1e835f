// Package mg is NPB's multigrid benchmark: V-cycles for the discrete Poisson equation, laplace
// u = v, in a periodic cube of n x n x n points. There are 4 cycles, and 20 in classes B and C. v
// is zero except for 10 charges of each sign.
//
// It is a tutorial of neighbours that read each other's borders:
//
//   - On every level u and the residual r are a parts.Grid of planes z, and each rank has a
//     block of planes. The first and the last planes of a block are bound to sync variables of
//     their own, so only these planes move to the neighbours.
//   - A sweep computes one of the two fields from the other. The rank holds its planes of the
//     computed field exclusively. It holds its planes of the other field, and one on each side,
//     shared (WantRows). From level to level one side is enough. v is private to each rank.
//   - A Fence ends each sweep. The next sweep reads the field that this sweep wrote, and
//     overwrites the field that it read. In threaded mode only the Fence keeps a rank from
//     overwriting too early.
//   - A level of less than 16 planes, or of less than half as many planes as ranks, is not worth
//     dividing. There every rank acquires the whole residual once, and computes the rest of the
//     cycle, down to 2 planes and back, without communication. With twice as many ranks as
//     planes, half of the ranks have no planes and wait.
//
// If the processor has AVX2, the rows are computed in assembly, with the same bits as in Go
// (rows.go). All sweeps are limited by memory, so these kernels prefetch.
//
// A point is computed by the same operations wherever it lies. The squares of the norm are added
// within a plane first, and parts.ExactSums adds the planes. So the result has the same bits on
// any number of ranks. At most n ranks can take part, 32 in class S. If the number of ranks is not
// a power of 2, a rank's planes of two levels do not coincide, and more planes move.
//
// The benchmark verifies the norm of the last residual, within 1e-8, against the values of NPB
// 3.3 and 3.4; class W is 128^3, as in NPB 3.1 and later. The timed section is NPB's: it excludes
// the start values and the first touch of memory. Every rank finds the charges by itself among
// all n^3 random numbers.
package mg
