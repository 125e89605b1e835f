//go:build !unix

package main

// limitMemory does nothing: this system cannot limit a process's memory.
func limitMemory(uint64) error { return nil }
