//go:build !linux

package shm

import (
	"context"
	"errors"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Supported returns an error: this system does not support the network.
func Supported() error {
	return errors.New("shm: shared memory between processes needs Linux: use inproc or tcp instead")
}

// Run returns the error of Supported.
func (n *Network) Run(context.Context, int, func(dimmnet.Host) error) error { return Supported() }
