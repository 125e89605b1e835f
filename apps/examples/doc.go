// Package examples has small programs, to read and to start from. Each is a command of one page
// that uses fagus/program and fagus/parts:
//
//	go run ./apps/examples/life --nodes 4                    // a torus in blocks of rows
//	go run ./apps/examples/wordcount --net shm README.md     // keys that all ranks count
//	go run ./apps/examples/tasks --mode threaded --size 12   // tasks that add tasks
//
// docs/guide/tutorial.md and docs/guide/program.md explain how such programs are written and run.
package examples
