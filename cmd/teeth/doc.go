// Command teeth measures whether the tests notice mistakes. It changes the code in one place at a
// time. The change is in a copy that the build uses instead of the original (go build -overlay),
// and never in the source tree.
//
//	go run ./cmd/teeth mutants --count 120                  random small changes to the pure core
//	go run ./cmd/teeth mutants --package ringbuf --count 0  all changes to one package
//	go run ./cmd/teeth mistakes --seeds 10000               mistakes against fagus lab swarm
//	go run ./cmd/teeth live                                 mistakes in the live networks
//
// A mutant is killed when the tests of its package, or of a package that imports it, fail. A
// mutant that does not compile does not count. --seed selects the changes. Results go to standard
// output, progress to standard error. Exit codes: 0 the tests noticed enough changes, 1 too few, 2
// usage, 3 the tests fail without any change.
package main
