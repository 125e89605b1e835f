// Command teeth finds out whether the tests would notice mistakes. It changes the code
// one place at a time, in a copy that the build takes instead (go build -overlay): so
// nothing of it is ever in the code itself.
//
//	go run ./cmd/teeth mutants --count 120                  random small changes of the pure core
//	go run ./cmd/teeth mutants --package ringbuf --count 0  all of one package
//	go run ./cmd/teeth mistakes --seeds 10000               planted mistakes of the protocols against fagus swarm
//
// A mutant is killed when the tests of its package fail, or those of a package that
// builds on it. A change that does not compile is none. Which changes are tried
// follows from --seed. Results go to standard output, progress to standard error. Exit
// codes: 0 enough were found, 1 too few, 2 usage, 3 the tests fail without any change.
package main
