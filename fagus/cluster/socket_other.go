//go:build !linux

package cluster

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
)

const truncated = 0

func supported() error {
	return fmt.Errorf("cluster: joining the ranks of one host needs Linux, not %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

func peerCredentials(*net.UnixConn) (pid, uid int, err error) { return 0, 0, supported() }
func rightsSpace(int) int                                     { return 0 }
func fileRights([]*os.File) []byte                            { return nil }
func rightsFiles([]byte) ([]*os.File, error)                  { return nil, supported() }
