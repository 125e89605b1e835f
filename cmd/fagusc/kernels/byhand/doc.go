// Package byhand has the kernels of package kernels made parallel by hand, to compare with what fagusc makes of them: with as few
// messages and bytes as are reasonable, and the same contract. A function is collective: every rank, which must hold nothing, gives slices
// of the same lengths. What rank 0 has in them is the input, and they have the output in the end; the others' stay as they are. All
// ranks get the results.
//
//   - Matmul, Transpose, Gather, Forces, Heat, Histogram and PrefixSum compute once: rank 0 hands out what each rank reads, and collects
//     what each has written (job). That is three phases. Rank 0 computes in its own slices, so that its part is in no variable.
//   - Dot hands out, and adds by Reduce.
//   - LU and FloydWarshall hand out rows, which a rank keeps to itself. In each step all read one row, and its
//     owner writes the next one into the other of two variables (steps): a phase a step.
//   - Solve tells every unknown to all by Reduce, and moves nothing else: a phase a step, too.
//   - Jacobi and SOR are grids of parts, whose rows at the edge of a block move. SOR has one of each colour: what moves is half a row,
//     and a sweep takes two Acquires and the Reduce that says whether to go on.
//
// In both modes what one rank writes others read in a later phase. Phase mode knows that by itself; in threaded mode there
// is a Barrier between them (meet).
//
// It is not a library: these are kernels to count messages with.
package byhand
