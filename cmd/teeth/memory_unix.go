//go:build unix

package main

import "syscall"

// limitMemory bounds what this process and those that it starts may use: a change
// can make a test allocate without end, and the machine has other work.
func limitMemory(bytes uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
