// Package polybench contains the 30 kernels of PolyBench 4.2 as sequential Go functions for
// fagusc. They measure how much of ordinary code fagusc makes parallel, and how fast it becomes:
// see docs/polybench.md.
//
// The functions are written from the definition of what they compute, in the loop order of
// PolyBench, with matrices as flat slices, and without regard to what fagusc can do. Keep them
// so: a kernel that fagusc refuses says what fagusc lacks. Package rows contains ten of them
// with [][]float64.
//
// Every kernel is in a file of its own. The file beside it with the suffix _fagus.go contains the
// parallel version. If a kernel has none, fagusc refuses it, for the reason in
// accept/testdata/accepted.txt. To update them after a change of fagusc:
//
//	go test ./cmd/fagusc/polybench/accept -update
//	go test ./cmd/fagusc/polybench                                # same results?
//	go test ./cmd/fagusc/polybench -bench Kernels -benchtime 5x   # with -short: small sizes
//	go test ./cmd/fagusc/polybench -run TestTable -update -timeout 2h
//
// The last command measures for 10 to 20 minutes and writes docs/polybench.md.
package polybench
