// Package nstream is the nstream kernel of the Parallel Research Kernels: A += B + s C, which is
// limited by memory bandwidth.
//
// It is a tutorial of programs in which no data moves:
//
//   - The three vectors are parts.Blocks: each is divided into one block per rank, and each
//     block is bound to a sync variable of its own.
//   - A rank fills its own blocks and reads no others. When it acquires them again, no other
//     rank has changed them, so the Acquire costs a phase but transfers nothing.
//   - It acquires its blocks once for all timed iterations. A rank may hold variables for long if
//     no other rank requests them.
//
// B = C = 2 and s = 3, so every element of A is 8(iterations+1) in the end. The kernel verifies
// the sum of A within a relative error of 1e-8. All sums are integers, exact below 2^53, so the
// result has the same bits on any number of ranks. If the processor has AVX2, the loop is in
// assembly.
package nstream
