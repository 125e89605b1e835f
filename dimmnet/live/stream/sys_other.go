//go:build !linux

package stream

import "runtime"

// yield gives the processor to another goroutine. This system offers no more.
func yield() { runtime.Gosched() }
