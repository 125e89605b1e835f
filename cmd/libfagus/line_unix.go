//go:build unix

package main

import (
	"os"
	"syscall"

	"github.com/fagus-dsm/fagus/cmd/internal/csession"
)

// connect makes calls over the connection fd. Arrays lie outside the heap of Go, because C keeps
// their addresses.
func connect(fd int) (csession.Calls, error) {
	syscall.CloseOnExec(fd) // a child process would keep the connection open
	return csession.Connect(os.NewFile(uintptr(fd), "line"), func(bytes int) ([]byte, error) {
		return syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	})
}
