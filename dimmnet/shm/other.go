//go:build !linux

package shm

import (
	"context"
	"errors"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Supported says that this system has no such network.
func Supported() error {
	return errors.New("shm: shared memory between processes needs Linux: use inproc")
}

// Run returns an error.
func (n *Network) Run(context.Context, int, func(dimmnet.Host) error) error { return Supported() }
