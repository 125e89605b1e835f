//go:build !linux

package tcp

import (
	"errors"
	"runtime"
	"syscall"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// links returns an error: the system calls that streams need exist only on Linux.
func (j *joined) links(dimmnet.Rank) (*stream.Links, error) {
	j.close()
	return nil, errors.New("tcp: this network needs Linux, and this is " + runtime.GOOS)
}

func latePort(string, string, syscall.RawConn) error { return nil }
