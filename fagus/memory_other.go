//go:build !unix

package fagus

import "unsafe"

// mapMemory returns n zero bytes from the Go heap, aligned for every element type.
func mapMemory(n int) ([]byte, error) {
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n), nil
}

func unmap([]byte) error { return nil }
