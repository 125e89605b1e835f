//go:build unix

package main

import "syscall"

// limitMemory bounds what this process and those that it starts may use: a change
// can make a test allocate without end, and the machine has other work. The heaps of
// package shm, as large as the machine, are mapped from files and do not count.
func limitMemory(bytes uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
