// Package experiment runs programs as processes, and reads the documents that they print. All
// studies of the laboratory that start programs use it: comparisons, sweeps, results, benchmarks,
// and campaigns that strike jobs.
//
//	p, err := experiment.Find([]string{"./digits", "--numbers", "500"})
//	r, err := p.Run(ctx, cfg, nil)
//	r, err := experiment.Fagus{}.Run(ctx, "matmul", "--n", "512", "--net", "shm")
//
// The program may be any: what it prints is bounded and checked, and when the context ends, so does
// the process group of the program. [Fault] says in a word why a run has no result.
//
// A [Study] is runs of programs with every combination of some flags: its runs, tables and document
// follow from that. What fits no Study has its parts: [Crowd] runs items in several workers, and
// package repeat in turn; it also summarises what they took.
//
// Campaigns strike their jobs and count what these leave, so they start the processes by
// themselves, find them by a mark in their environment ([Processes]), and [Read] their documents.
package experiment
