// Package cg is NPB's "conjugate gradient": the power method finds an eigenvalue of a large sparse symmetric
// matrix, with 25 steps of conjugate gradients in place of solving each system.
//
// It reads as a tutorial of a program for one processor of which only the costly part is divided:
//
//   - Every rank makes the rows of its block (parts.Block) of the matrix, by itself: nothing of it is shared.
//   - A product of matrix and vector is an array of which every rank has a block, guarded by a
//     variable of its own (parts.Blocks). Each acquires its block and fills it; a Barrier later each acquires all
//     blocks, shared, and has the product.
//   - Products go to two arrays in turn. So who reads late is not overtaken: the next but one product
//     comes a Barrier later.
//   - All else, vectors of which a row has one number and the matrix some hundred, every rank does for itself. That
//     is less than what a Reduce for every dot product would cost, and all numbers are added
//     in the same order at all ranks: the result has the same bits however many there are.
//
// NPB divides p and gathers that, which moves as much. It runs on any number of nodes.
//
// Verified is zeta after the last iteration, as in NPB 3.3 and 3.4.
package cg
