// Package catalog lists the programs that the command fagus runs by name. An entry describes the
// program, has its flags, and turns the flags into a [Job], which runs on the ranks of a DSM.
//
//	for _, p := range catalog.Programs() {
//		job, err := p.Prepare(catalog.Flags{Context: c, Nodes: 2, Seed: 0})
//		...
//	}
//
// [Samples] are small input files for the programs' examples.
//
// To add a program, write a file here and add it to [Programs]. The families NPB and PRK are
// tables in npb.go and prkkernels.go. The package neither makes networks nor prints: the caller
// decides where a job runs and how its outcome is shown. Mistakes in flags are errors of
// package usage.
package catalog
