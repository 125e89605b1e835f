// Package prk has the common parts of the Parallel Research Kernels: a loop with one untimed and
// then many timed iterations, and a result whose error must be at most 1e-8. The kernels are in
// packages of their own: dgemm, stencil, transpose, nstream and p2p. In each package, Run is the
// parallel program. Plain is the same computation in one goroutine without Fagus, as a baseline
// for speedups.
//
// The kernels follow the paper-and-pencil definitions of ParRes/Kernels
// (github.com/ParRes/Kernels, version 2.14). Each verifies its result by a closed form.
//
// On a simulated machine a floating-point operation takes [OperationTime], and a byte of memory
// [ByteTime]: about the speed of the Pentium III at 950 MHz of the papers.
package prk
