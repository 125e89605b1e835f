// Package golang is the front end and the writer of fagusc for Go, and all of fagusc that knows Go.
// It reads functions that are marked
//
//	//fagus:parallel
//
// into the form of package loops, and writes a parallel version of each by what package plan says.
// Every rank executes a part of it.
//
//	files, err := golang.Load("kernels")
//	text, err := files[0].Emit(golang.Options{})     // err: the functions that are refused
//
// # Input
//
// Parameters are numbers, structs and arrays of these, slices of all of these, and slices of such
// slices, structs with slices, and pointers to structs. The function may be a method. It may make
// slices at its beginning, and may return there. It may contain assignments, conditions, switches
// and all kinds of for loops, and calls of package math and of functions of the same package. A
// variable may denote a part of a slice: row := a[i*n : (i+1)*n]. A loop marked
//
//	//fagus:serial
//
// is executed by one rank if it writes arrays, and by all ranks otherwise. The iterations of a loop
// marked //fagus:independent are taken to be independent. Other constructs are refused where they
// prevent the analysis.
//
// # Output
//
// The output contains the statements of the input unchanged, with //line directives, so that
// compiler errors, debuggers and panics refer to the input. Only the headers of parallel loops are
// rewritten. The calls of package region surround them.
//
// # Files
//
// source loads packages, and translate begins to read a function: its parameters, and what comes
// before its loops. statements, loop, header, expressions and reductions read statements; fields,
// rows and inline, what names denote; narrow and settled, which values integers have. emit begins
// to write a function; declare, values and cost write what comes before its statements; execute,
// element and wave, the statements with the calls around them; names, what may clash.
package golang
