// Package matmul multiplies matrices, C = A x B, as in the Fagus paper: every
// rank computes the rows of C that fall to it in turn, row i at rank i mod N.
//
// It reads as a tutorial:
//
//   - Rank 0 has the input. In a first phase it acquires everything for
//     writing, fills in A and B and releases, so that the other ranks find the
//     newest version at rank 0. A Barrier says that all is there.
//   - Then, timed, every rank acquires B and its rows of A to read and
//     its rows of C to write. One communication phase brings all of it; then the
//     rank computes on plain slices and releases.
//   - Update takes the rows of C to whoever has had them before: rank 0.
//
// Rows are guarded by a variable each (Config.Sync Row), or those of a rank by
// one (Rank), which makes the acquire lists and the number of transfers smaller.
//
// The kernel adds up every element of C in the order of k, whatever the blocking
// and the number of ranks, so C has the same bits in every run.
package matmul
