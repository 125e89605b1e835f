// Package source finds the source line of the user's program on a stack that otherwise
// consists of frames of this library and of Go's.
//
//	text := fmt.Sprintf("%s: writes what it does not hold", source.Here())
//
// A line consists of the base name of its folder, its file, and its number: "matmul/matmul.go:107".
package source
