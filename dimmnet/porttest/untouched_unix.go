//go:build unix

package porttest

import (
	"syscall"
	"testing"
)

// Untouched returns size bytes that nobody may touch, so they take no memory: for what a function
// does with a length alone. It skips the test if the address space has no room.
func Untouched(t testing.TB, size int) []byte {
	t.Helper()
	mem, err := syscall.Mmap(-1, 0, size, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(mem) })
	return mem
}
