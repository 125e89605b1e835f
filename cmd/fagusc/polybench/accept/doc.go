// Package accept tests which kernels of the packages polybench and rows fagusc accepts, and that
// their parallel versions are up to date. Its test does not import them, so it works also if the
// parallel versions do not compile:
//
//	go test ./cmd/fagusc/polybench/accept -update
//
// writes the parallel version of every accepted kernel beside it, the list of them in
// made_test.go of package polybench, and in testdata/accepted.txt what becomes of every loop, or
// why a kernel is refused.
package accept
