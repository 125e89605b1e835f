//go:build !linux

package stream

import "runtime"

// yield gives the processor to another goroutine, which is all that can be done here.
func yield() { runtime.Gosched() }
