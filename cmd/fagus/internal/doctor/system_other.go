//go:build !linux

package doctor

import (
	"errors"
	"fmt"
	"net"
	"runtime"
)

// probeSystem reports that ranks in processes of their own need Linux.
func probeSystem() []finding {
	return []finding{lack("kernel", fmt.Errorf("this is %s: %w", runtime.GOOS, errors.ErrUnsupported), "--net shm and --net tcp need Linux; simulated networks and --net inproc work")}
}

func readResources() resources { return resources{} }

func doNotFragment(*net.UDPConn, bool) error { return errors.ErrUnsupported }
