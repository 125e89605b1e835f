// Package own runs a program of one's own, which uses package fagus/program, as a process, and
// reads the document that it prints.
//
//	p, err := own.Find([]string{"./digits", "--numbers", "500"})
//	...
//	r, err := p.Run(ctx, cfg, nil)
//
// The program may be any: what it prints is bounded and checked, and when the context ends, so does
// the process group of the program.
package own
