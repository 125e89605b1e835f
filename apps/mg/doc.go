// Package mg is NPB's multigrid: 4 V-cycles for the discrete Poisson equation, laplace u = v, in a periodic cube
// of n x n x n points. v is 0 but for 10 charges of each sign.
//
// It reads as a tutorial of neighbours that need each other's edges:
//
//   - On every level u and the residual r are a parts.Grid of planes z, of which each rank has a block. Its first
//     and its last planes have variables of their own: only they move, to the neighbours.
//   - A sweep makes one of the two fields from the other. The rank holds its planes of the one exclusively, and
//     of the other, shared, the planes that it reads (WantRows): mostly its own and one on each side, but on one side only
//     from level to level. v is nobody else's, and lies in own memory.
//   - A Barrier ends each sweep. In the next one ranks read what was written in this, and write what
//     was read; in threaded mode nothing else keeps them from doing so too early.
//   - Levels of less than 32 planes, or less than two for each rank, are not worth
//     sharing: there every rank acquires all of the residual once, and does the rest of the cycle alike, without
//     communication, to the bottom of 2 planes and back.
//
// Points are computed in the same way wherever they lie. The squares for the norm are added up plane by plane,
// and planes by parts.ExactSums: so results have the same bits however many ranks there are. There may be as many
// as n/2, 16 in class S. If they are no power of 2, planes of two levels do not lie at the
// same ranks, and more of them move.
//
// Verified is the norm of the last residual within 1e-8, with the values of NPB 3.3 and 3.4 (class W is 128^3, as since
// 3.1). The timed section is NPB's: start values and the first touch of memory are not in it. Every rank finds
// the charges for itself among all n^3 random numbers.
package mg
