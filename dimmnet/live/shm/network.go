package shm

import (
	"context"
	"os"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

// Member is the membership of a process in a job on this host.
type Member interface {
	dimmnet.Member
	// Swap passes this rank's file to all ranks and returns the files of all ranks, by rank,
	// including its own. It is a barrier of all ranks. The caller owns the files.
	Swap(ctx context.Context, own *os.File) ([]*os.File, error)
}

// Network runs programs on processes of this host, or on goroutines of this process.
type Network struct {
	local.Membership
	cfg    Config
	member Member // nil: all ranks are in this process
}

// New returns a network whose ranks are all in this process. Run reports a mistake in cfg.
func New(cfg Config) *Network { return &Network{cfg: cfg} }

// Join returns a network of which this process is one rank.
func Join(cfg Config, m Member) *Network {
	return &Network{Membership: local.Membership{Member: m}, cfg: cfg, member: m}
}

var _ dimmnet.Joiner = (*Network)(nil)
