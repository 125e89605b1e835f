//go:build unix

package fagus

import "golang.org/x/sys/unix"

// mapMemory returns n zero bytes outside the Go heap, aligned to a page.
func mapMemory(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}
func unmap(mem []byte) error { return unix.Munmap(mem) }
