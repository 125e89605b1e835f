//go:build !linux

package shm

import (
	"context"
	"errors"
	"os"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Member is a process's place among those of a job on this host.
type Member interface {
	Rank() dimmnet.Rank
	Size() int
	Swap(ctx context.Context, own *os.File) ([]*os.File, error)
	Gather(ctx context.Context, own []byte) ([][]byte, error)
	OnLoss(lost func(rank dimmnet.Rank, why error))
}

// Network needs Linux.
type Network struct{}

// New returns a network that cannot run.
func New(Config) *Network { return &Network{} }

// Join returns a network that cannot run.
func Join(Config, Member) *Network { return &Network{} }

// Clock says that time is real.
func (n *Network) Clock() dimmnet.Clock { return dimmnet.Wall }

// Supported says that this system has no such network.
func Supported() error {
	return errors.New("shm: shared memory between processes needs Linux: use inproc")
}

// Run returns an error.
func (n *Network) Run(context.Context, int, func(dimmnet.Host) error) error { return Supported() }
