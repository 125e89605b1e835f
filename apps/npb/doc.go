// Package npb is what the NAS Parallel Benchmarks have in common: classes, their random
// numbers, and how a result is verified. The benchmarks are packages of their own: ep, is, cg, mg and ft. In each,
// Run is the parallel program, and Plain the same for one goroutine, without Fagus, which it is measured against.
//
// They follow the specification (Bailey et al., RNR-94-007) and the verification values of
// NPB 3.3 and 3.4; where these differ the benchmark says which it checks.
//
// On simulated machines an operation, as NPB counts them, takes [OperationTime]: a Pentium III at 950 MHz, as
// the papers had, does some 100 million of them a second with compilers of its time.
package npb
