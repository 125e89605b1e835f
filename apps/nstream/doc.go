// Package nstream is the kernel of that name of the Parallel Research Kernels: A += B + s C, as fast as memory is.
//
// It reads as a tutorial of programs in which nothing moves:
//
//   - Each of three parts.Blocks has a block for every rank, and a variable for every block.
//   - A rank fills its own blocks and reads no others. So it acquires what it has released before: that
//     costs a phase and brings no data.
//   - It acquires once for all timed iterations, not for each: what nobody else wants may be held.
//
// With B = C = 2 and s = 3 in the beginning, every element of A is 8(iterations+1) in the end. Verified is the
// sum of all, with a relative error of 1e-8. All sums are integers, and exact while they are below 2^53:
// so the node count changes no bit.
package nstream
