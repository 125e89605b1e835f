// Package experiment runs programs as processes, and reads the documents that they print. Commands
// that strike or mark their processes (lab faults, lab jobs) start them by themselves, and read the
// [Document].
//
//	p, err := experiment.Find([]string{"./digits", "--numbers", "500"})
//	r, err := p.Run(ctx, cfg, nil)
//	r, err := experiment.Fagus{}.Run(ctx, "matmul", "--n", "512", "--net", "shm")
//
// The program may be any: what it prints is bounded and checked, and when the context ends, so does
// the process group of the program.
//
// A [Study] is runs of programs with every combination of some flags: its runs, tables and document
// follow from that.
package experiment
