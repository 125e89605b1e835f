package shm

import (
	"context"
	"os"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Member is a process's place among those of a job on this host.
type Member interface {
	dimmnet.Member
	// Swap gives this rank's file to all and returns those of all ranks, in order, the own
	// one included. It is a barrier of all ranks. The files are the caller's.
	Swap(ctx context.Context, own *os.File) ([]*os.File, error)
}

// Network runs programs on processes of this host, or on goroutines of this one.
type Network struct {
	cfg    Config
	member Member // nil: all ranks are here
}

// New returns a network whose ranks are all in this process. A mistake in cfg is
// reported by Run.
func New(cfg Config) *Network { return &Network{cfg: cfg} }

// Join returns a network of which this process is one rank.
func Join(cfg Config, m Member) *Network { return &Network{cfg: cfg, member: m} }

var _ dimmnet.Joiner = (*Network)(nil)

// Job says which rank of how many this process is; size is 0 if all are here.
func (n *Network) Job() (rank dimmnet.Rank, size int) { return dimmnet.JobOf(n.member) }

// Gather passes what every rank gives to all.
func (n *Network) Gather(ctx context.Context, own []byte) ([][]byte, error) {
	return n.member.Gather(ctx, own)
}

// Clock says that time is real.
func (n *Network) Clock() dimmnet.Clock { return dimmnet.Wall }
