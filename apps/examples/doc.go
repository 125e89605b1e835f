// Package examples has small programs, to read and to start from: a folder for each, with main.go
// and main_test.go, which compares the program with a sequential computation. `fagus new --example
// NAME DIR` copies these two files into a module of one's own.
//
//	go run ./cmd/fagus new --list                            // the examples
//	go run ./apps/examples/halo --nodes 4                    // two fields, and a picture of them
//	go run ./apps/examples/index --net shm README.md         // words and their places
//	go run ./apps/examples/tasks --mode threaded --size 12   // tasks that add tasks
//
// docs/guide/program.md says what each shows, and docs/guide/tutorial.md how such programs are
// written and run.
package examples
