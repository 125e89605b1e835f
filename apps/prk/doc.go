// Package prk is what the Parallel Research Kernels have in common: an iteration to warm
// up, iterations that are timed, and an error that is held against 1e-8. The kernels are packages of their
// own: dgemm, stencil, transpose, nstream and p2p. In each, Run is the parallel program, and Plain the same for one
// goroutine, without Fagus, which it is measured against.
//
// They follow the paper-and-pencil definitions of ParRes/Kernels (github.com/ParRes/Kernels, version 2.14), and each is
// verified by its closed form.
//
// On simulated machines a floating-point operation takes [OperationTime], and a byte of memory
// [ByteTime]: about those of the Pentium III at 950 MHz that the papers had.
package prk
