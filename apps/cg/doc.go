// Package cg is NPB's "conjugate gradient": the power method finds an eigenvalue of a large sparse symmetric
// matrix, with 25 steps of conjugate gradients in place of solving each system.
//
// It reads as a tutorial of how to compute with vectors of which every rank has a part:
//
//   - Every rank has a block of rows (parts.Block): of the matrix, which it makes by itself, and of all vectors.
//     None of these is shared.
//   - Who multiplies a row needs the whole vector. That is an array of which every rank has a block,
//     guarded by a variable of its own (parts.Blocks): each acquires its block and copies its part there; a
//     Barrier later each acquires all blocks, shared, and multiplies its rows by what it sees. That
//     all of a block is written is declared (Writing), so no copy to compare with is needed.
//   - A dot product is one number of each rank, added by a Reduce. One follows every product with the
//     matrix, and returns when all have called it: so nobody writes the next vector while others
//     read this one.
//
// A step is five phases: two Acquires and a Barrier for the product, and two Reduces.
//
// It runs on any number of nodes. A dot product is added block by block, and the blocks in the order of the ranks: with
// another number of nodes the last digits differ, far behind those that are verified.
//
// Verified is zeta after the last iteration, as in NPB 3.3 and 3.4.
package cg
