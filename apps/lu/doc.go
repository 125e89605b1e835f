// Package lu factors a random matrix, P A = L U, by blocks of columns with partial pivoting.
//
// It reads as a tutorial of data that one rank makes and all others read:
//
//   - Blocks of columns belong to the ranks in turn, so that all have work until near the end. Until they are factored
//     they are their rank's own: plain memory, which is not shared.
//   - A factored block is a panel: what is on and below the diagonal, and which rows were swapped. There is a
//     variable for each panel, which its owner acquires once to write and all others once to read.
//   - In a step every rank acquires one panel to read, applies it to its columns, and whoever has the next panel
//     factors that in the same tenure. So a step is one Acquire, which brings a panel, and one Barrier, after which
//     the next panel is there. No panel is ever overwritten, so nobody needs to wait for readers.
//
// Panels and updates are halved until little is left, so that nearly all is done by apps/gemm, whose sums do not
// depend on what the columns are cut into: the factors have the same bits however many ranks there are. (With
// another size of blocks they may have others.)
//
// Verified is the backward error, max|PA - LU| / (n eps max|A|), with A made anew from the seed: it may be
// 16. Every rank computes that of its columns, for which it has all it takes.
package lu
