// Package npb has the common parts of the NAS Parallel Benchmarks: problem classes, the random
// number generator, and the parameters of a run. The benchmarks are in packages of their own: ep,
// is, cg, mg, ft, bt, sp, and ssor, which is LU. In each package, Run is the parallel program.
// Plain is the same computation in one goroutine without Fagus, as a baseline for speedups.
// Package adi has what bt and sp share.
//
// The benchmarks follow the specification (Bailey et al., RNR-94-007) and the reference values of
// NPB 3.3 and 3.4. Where the two versions differ, the benchmark's package names the version used.
//
// On a simulated machine an operation, as NPB counts them, takes [OperationTime]. The papers'
// Pentium III at 950 MHz, with compilers of its time, performs about 100 million operations per
// second.
package npb
