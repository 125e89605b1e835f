//go:build !linux

package main

import (
	"errors"
	"fmt"
	"runtime"
)

// probeSystem says that ranks as processes need Linux.
func probeSystem() []finding {
	return []finding{lack("kernel", fmt.Errorf("this is %s: %w", runtime.GOOS, errors.ErrUnsupported), "--net shm and --net tcp need Linux; simulated networks and --net inproc work")}
}
