//go:build unix

package main

import "syscall"

// limitMemory bounds the memory of this process and its children, because a change can make a test
// allocate without end. The heaps of package shm, which may be as large as the machine's memory,
// are mapped from files and do not count.
func limitMemory(bytes uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
