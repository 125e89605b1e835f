//go:build !linux

package tcp

import (
	"errors"
	"runtime"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/stream"
)

// links fails: what it needs has other names here.
func (j *joined) links(dimmnet.Rank) (*stream.Links, error) {
	j.close()
	return nil, errors.New("tcp: this port needs Linux, not " + runtime.GOOS)
}
