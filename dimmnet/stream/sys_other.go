//go:build !linux

package stream

import "runtime"

// processors is how many this process may use.
func processors() int { return runtime.NumCPU() }

// yield gives the processor to another goroutine, which is all that can be done here.
func yield() { runtime.Gosched() }
