//go:build linux

package shm

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Member is a process's place among those of a job on this host.
type Member interface {
	Rank() dimmnet.Rank
	Size() int
	// Swap gives this rank's file to all and returns those of all ranks, in order, the own
	// one included. It is a barrier of all ranks. The files are the caller's.
	Swap(ctx context.Context, own *os.File) ([]*os.File, error)
	// Gather passes what every rank gives to all.
	Gather(ctx context.Context, own []byte) ([][]byte, error)
	// OnLoss says who is called when the process of a rank has ended before its Run.
	OnLoss(lost func(rank dimmnet.Rank, why error))
}

// Network runs programs on processes of this host, or on goroutines of this one.
type Network struct {
	cfg    Config
	member Member // nil: all ranks are here
}

// Supported says whether this system has such networks: nil on Linux.
func Supported() error { return nil }

// New returns a network whose ranks are all in this process. A mistake in cfg is
// reported by Run.
func New(cfg Config) *Network { return &Network{cfg: cfg} }

// Join returns a network of which this process is one rank.
func Join(cfg Config, m Member) *Network { return &Network{cfg: cfg, member: m} }

var _ dimmnet.Joiner = (*Network)(nil)

// Job says which rank of how many this process is; size is 0 if all are here.
func (n *Network) Job() (rank dimmnet.Rank, size int) {
	if n.member == nil {
		return 0, 0
	}
	return n.member.Rank(), n.member.Size()
}

// Gather passes what every rank gives to all.
func (n *Network) Gather(ctx context.Context, own []byte) ([][]byte, error) {
	return n.member.Gather(ctx, own)
}

// Clock says that time is real.
func (n *Network) Clock() dimmnet.Clock { return dimmnet.Wall }

// Run starts body on nodes nodes, of a joined network on its own, each with an LLCM of
// zeros, and returns when all its threads have returned: nil, or the first failure,
// that of another rank included. After a failure it waits no longer than Config.Grace.
func (n *Network) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	cfg, err := n.cfg.withDefaults(nodes)
	if err != nil {
		return err
	}
	if body == nil {
		return errors.New("shm: no body to run")
	}
	if n.member != nil && nodes != n.member.Size() {
		return fmt.Errorf("shm: %d nodes are asked for, and the job has %d ranks", nodes, n.member.Size())
	}
	if ctx.Err() != nil {
		return cancelled(ctx)
	}
	segments, err := n.segments(ctx, &cfg, nodes)
	defer func() {
		for _, s := range segments {
			if n.member == nil {
				s.unmapLocal()
			} else {
				s.unmap()
			}
		}
	}()
	if err != nil {
		return err
	}
	r := newRun(cfg, segments)
	if n.member == nil {
		for rank := range segments {
			r.enter(r.newPort(dimmnet.Rank(rank), ""))
		}
	} else {
		r.enter(r.newPort(n.member.Rank(), ""))
		n.member.OnLoss(r.lost)
		defer n.member.OnLoss(nil)
		defer r.watch(n.member.Rank(), cfg.Stall)()
	}
	stop := context.AfterFunc(ctx, func() { r.fail(cancelled(ctx)) })
	r.startAll(body)
	err = r.wait(cfg.Grace)
	if r.left() { // a thread that was left behind may still touch them
		segments = nil
	}
	if !stop() && err == nil {
		return cancelled(ctx)
	}
	return err
}

// segments makes or maps those of all ranks. Beside an error it returns what it has
// mapped.
func (n *Network) segments(ctx context.Context, cfg *Config, nodes int) (all []*segment, err error) {
	if n.member == nil {
		for rank := range nodes {
			s, err := local(cfg, dimmnet.Rank(rank))
			if err != nil {
				return all, err
			}
			all = append(all, s)
		}
		return all, nil
	}
	own, f, err := create(cfg, n.member.Rank())
	if err != nil {
		return nil, err
	}
	files, err := n.member.Swap(ctx, f)
	defer func() {
		for _, f := range append(files, f) {
			_ = f.Close() // mapped is mapped
		}
	}()
	if err != nil {
		return []*segment{own}, err
	}
	for rank, f := range files {
		s := own
		if dimmnet.Rank(rank) != n.member.Rank() {
			if s, err = open(f, dimmnet.Rank(rank), cfg); err != nil {
				return append(all, own), err
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// cancelled is the failure of a run whose context is done.
func cancelled(ctx context.Context) error {
	return fmt.Errorf("shm: %w", dimmnet.ContextErr(ctx))
}
