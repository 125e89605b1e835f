// Package byhand contains the kernels of package kernels parallelised by hand, for comparison with
// the output of fagusc: with few messages and bytes, and with the same contract. Every function is
// collective: every rank must call it, hold no set, and pass slices of the same lengths. The
// slices of rank 0 are the input and receive the output; the slices of other ranks do not change.
// All ranks get the results.
//
//   - Matmul, Transpose, Gather, Forces, Heat, Histogram and PrefixSum compute once (type job):
//     rank 0 distributes the elements that each rank reads and collects the elements that each rank
//     has written, in three phases. Rank 0 computes in its own slices: no variable guards its part.
//   - Dot distributes the vectors and adds the parts by Reduce.
//   - LU and FloydWarshall distribute rows, which a rank keeps private. In each step all ranks
//     read one row, and the owner of the next row writes it to the other of two buffers
//     (type steps): one phase per step.
//   - Solve broadcasts every unknown by Reduce and moves nothing else: also one phase per step.
//   - Jacobi and SOR use parts.Grid, whose rows at the edges of a block move. SOR has one grid
//     per colour: half a row moves, and a sweep takes two Acquires and the Reduce that decides
//     whether to continue.
//
// The ranks read elements that another rank wrote in an earlier phase. A Fence ensures this order:
// it takes no phase in phase mode, and is a Barrier in threaded mode.
//
// The functions are in test files, because only the tests call them. TestTable compares them with
// the generated ones and makes the table in docs/guide/fagusc.md.
package byhand
