// Package cg is NPB's "conjugate gradient" benchmark. The power method finds an eigenvalue of a
// large sparse symmetric matrix; instead of solving each linear system exactly it takes 25 steps
// of conjugate gradients.
//
// It is a tutorial of vectors that are divided among ranks:
//
//   - Every rank has a block of rows (parts.Block) of the matrix and of all vectors. It
//     generates its rows of the matrix itself. None of this is shared.
//   - To multiply a row a rank needs the whole vector. So there is one shared vector, of which
//     each rank writes its block, and which all ranks read as a whole (parts.Whole). With many
//     ranks, a rank first gets the blocks of its group of ranks, and then one message from each
//     other group.
//   - A dot product is one number per rank, added by a Reduce.
//
// A step consists of four phases: two for the product, and two Reduces. On 16 nodes and more the
// product takes three.
//
// The number of nodes is arbitrary. A dot product is added block by block, and the sums of the
// blocks in rank order. So another number of nodes changes the last digits, which are not
// verified.
//
// The benchmark verifies zeta after the last iteration, as NPB 3.3 and 3.4 do.
package cg
