// Package cg is NPB's "conjugate gradient" benchmark. The power method finds an eigenvalue of a
// large sparse symmetric matrix; instead of solving each linear system exactly it takes 25 steps
// of conjugate gradients.
//
// It is a tutorial of vectors that are divided among ranks:
//
//   - Every rank has a block of rows (parts.Block) of the matrix and of all vectors. It
//     generates its rows of the matrix itself. None of this is shared.
//   - To multiply a row a rank needs the whole vector. So there is one shared vector, and each
//     rank's block of it is bound to a sync variable of its own (parts.Blocks). Each rank
//     acquires its block exclusively and copies its part into it. After a Fence each rank
//     acquires all blocks shared, and multiplies its rows by the whole vector. Ranks overwrite
//     their whole block and declare it (Writing), so Fagus makes no twin to compare with.
//   - A dot product is one number per rank, added by a Reduce. A Reduce follows every product
//     with the matrix. It returns only when all ranks have called it, so no rank writes the
//     next vector while another still reads this one.
//
// A step consists of four phases: two Acquires for the product, and two Reduces. In phase mode the
// Fence between the Acquires sends nothing.
//
// The number of nodes is arbitrary. A dot product is added block by block, and the sums of the
// blocks in rank order. So another number of nodes changes the last digits, which are far beyond
// those that are verified.
//
// The benchmark verifies zeta after the last iteration, as NPB 3.3 and 3.4 do.
package cg
