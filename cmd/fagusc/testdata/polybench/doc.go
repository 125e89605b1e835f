// Package polybench contains the 30 kernels of PolyBench 4.2 as sequential Go functions for
// fagusc. They measure how much of ordinary code fagusc makes parallel, and how fast it becomes:
// see docs/lab/polybench.md.
//
// The functions are written from the definition of what they compute, in the loop order of
// PolyBench, with matrices as flat slices, and without regard to what fagusc can do. Keep them
// so: a kernel that fagusc refuses says what fagusc lacks. Package rows contains ten of them
// with [][]float64.
//
// Every kernel is in a file of its own. cmd/fagusc.TestKernels makes the parallel versions, and
// runs the tests of this package with them; four are kept here to be read: gemm_fagus.go,
// atax_fagus.go, jacobi2d_fagus.go and seidel2d_fagus.go. What becomes of every loop, or why a
// kernel is refused, is in accepted.txt.
//
//	go test ./cmd/fagusc -run TestKernels -update     # writes all parallel versions, and accepted.txt
//	go test ./cmd/fagusc/testdata/polybench           # needs them: same results?
//	go test ./cmd/fagusc/testdata/polybench -bench Kernels -benchtime 5x   # with -short: small sizes
//	go test ./cmd/fagusc/testdata/polybench -run TestTable -update -timeout 2h
//
// The last command measures for 10 to 20 minutes and writes docs/lab/polybench.md.
package polybench
