// Package lu factors a random matrix, P A = L U, by blocks of columns with partial pivoting.
//
// It is a tutorial of data that one rank produces and all others read:
//
//   - Blocks of columns are dealt to the ranks in turn, so all have work until near the end.
//     Until they are factored they are private to their rank: ordinary memory that is not
//     shared.
//   - A factored block is a panel: its elements on and below the diagonal, and the row swaps.
//     Each panel is bound to its own sync variable. Its owner acquires it once to write, and
//     all other ranks once to read.
//   - In each step every rank acquires one panel, shared, and applies it to its columns. The
//     owner of the next panel factors it in the same tenure (the time from Acquire to Release).
//     So a step is one Acquire, which brings a panel, and one Fence, after which the next
//     panel is complete. Panels are never overwritten, so no rank waits for readers.
//
// Panels and updates are halved recursively until they are small, so nearly all work is done by
// package gemm. Its sums do not depend on how a matrix is divided. So the factors have the same
// bits on any number of ranks. (Another block size may change them.)
//
// The program verifies that the backward error, max|PA - LU| / (n eps max|A|), is at most 16,
// with A generated again from the seed. Every rank computes it for its own columns, all of whose
// data it has.
package lu
