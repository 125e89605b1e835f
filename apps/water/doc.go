// Package water is molecular dynamics of a droplet in which every molecule acts on every other: what the Water n-squared of
// SPLASH does (J. P. Singh, W.-D. Weber and A. Gupta, Computer Architecture News 20 (1992) no. 1, 5).
//
// It reads as a tutorial of data that all ranks add to:
//
//   - Every rank has a block of molecules (parts.Blocks), moves them, and computes the pairs of each with the half of all
//     others that follow it, cyclically. So every pair is computed once.
//   - A rank acquires the positions that it needs to read, and adds the forces up for itself. Then it acquires the forces on
//     each other block, exclusively, and adds what it has found there. Ranks begin with different ones.
//   - Whoever has a block acquires the forces on it, moves its molecules, and leaves zeros. A Barrier before
//     says that all have added and read, and one after it that all have moved.
//   - Forces are whole numbers, and so are momenta (model.go): the result has the same bits in whatever order they are
//     added, on however many ranks. What a molecule gives the other takes, exactly.
//
// # What variables cost
//
// Config.Bind says how forces are bound: a variable a rank, a variable a molecule, or these acquired one after
// another, as the program of SPLASH locks its molecules. Nothing else changes. On 16 nodes, where computing
// takes 10.9 ms (fagus run water --nodes 16 --bind BIND --mode MODE; messages are AOTF, BOTF and PUSH):
//
//	mode      bind        steps    messages  transfers of variables
//	phase     block     14.7 ms     117 000    1971
//	phase     molecule  14.8 ms     119 000   12729
//	phase     lock      32.8 ms     973 000   12729
//	threaded  block     17.5 ms      58 000    2001
//	threaded  molecule  37.0 ms     388 000   13054
//	threaded  lock      34.0 ms     388 000   13027
//
// So many small bindings are what entry consistency loses by, if each is asked for by itself: in threaded mode it always is,
// in phase mode if it has a tenure, and so a phase, of its own. In one set their lists travel together, and
// cost no more messages, only more bytes. It is better still to add forces up first, and then to have
// one variable for what moves together. With one variable a molecule no rank waits for another that adds to a different
// molecule; here that gains nothing, since ranks begin with different blocks.
//
// # Verified
//
// The momentum is zero, exactly. The energy changes by no more than Verlet's method explains. And rank 0 alone computes the
// last potential energy from the last positions, by other code: so no pair was left out.
//
// A test holds forces against the gradient of the energy, and two molecules far apart against the closed form of two
// dipoles.
package water
