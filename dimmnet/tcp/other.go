//go:build !linux

package tcp

import (
	"context"
	"errors"
	"runtime"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// run fails: what it needs has other names here.
func (c *crew) run(context.Context, dimmnet.Member, func(dimmnet.Host) error) (begun bool) {
	c.failed(errors.New("tcp: this port needs Linux, not " + runtime.GOOS))
	return false
}

// processors is how many this process may use.
func processors() int { return runtime.NumCPU() }
