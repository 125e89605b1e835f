//go:build !linux

package doctor

import (
	"errors"
	"fmt"
	"net"
	"runtime"
)

// probeSystem reports what needs Linux.
func probeSystem() []finding {
	return []finding{lack("kernel", fmt.Errorf("this is %s: %w", runtime.GOOS, errors.ErrUnsupported), "--net shm, --check and fagus launch need Linux; docs/guide/systems.md says what works here")}
}

func readResources() resources { return resources{} }

func doNotFragment(*net.UDPConn, bool) error { return errors.ErrUnsupported }
