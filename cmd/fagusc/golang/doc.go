// Package golang is the front of fagusc for Go, and writes what it makes. It reads functions that are marked with
//
//	//fagus:parallel
//
// translates them for package loops, and writes for each a function of which every rank executes its part: Emit.
//
//	files, err := golang.Load("kernels")
//	text, err := files[0].Emit()              // err: the first thing that cannot be made parallel
//
// # What it understands
//
// Parameters are numbers, structs and arrays of such, and slices of such; the function may make slices at its beginning. In it there are
// assignments, conditions, switches, and for loops of all kinds; calls of package math, and of functions of the same package that
// do nothing but compute. A variable may stand for a part of a slice: row := a[i*n : (i+1)*n]. A loop marked with
//
//	//fagus:serial
//
// is executed by one rank if it writes arrays, and by all if it does not. Everything else is refused, if it is in the way.
//
// # What it writes
//
// The statements of the input as they are, with //line directives, so that the compiler, a debugger and a panic say where in the input
// they are. Only the headers of parallel loops are new. Around them stand the calls of package region.
package golang
