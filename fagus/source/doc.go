// Package source finds the line of a program on a stack that is full of lines of this
// library and of Go's.
//
//	words := fmt.Sprintf("%s: writes what it does not hold", source.Here())
//
// A line is the base name of its folder and file: "matmul/matmul.go:107".
package source
