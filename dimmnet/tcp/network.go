package tcp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/identity"
)

// Network runs programs on processes of several hosts, or on goroutines of this one.
type Network struct {
	cfg    Config
	member dimmnet.Member // nil: all ranks are here
}

// New returns a network whose ranks are all in this process and connected over
// loopback. A mistake in cfg is reported by Run.
func New(cfg Config) *Network { return &Network{cfg: cfg} }

// Join returns a network of which this process is one rank.
func Join(cfg Config, m dimmnet.Member) *Network { return &Network{cfg: cfg, member: m} }

var _ dimmnet.Joiner = (*Network)(nil)

// Job says which rank of how many this process is; size is 0 if all are here.
func (n *Network) Job() (rank dimmnet.Rank, size int) { return dimmnet.JobOf(n.member) }

// Gather passes what every rank gives to all.
func (n *Network) Gather(ctx context.Context, own []byte) ([][]byte, error) {
	return n.member.Gather(ctx, own)
}

// Clock says that time is real.
func (n *Network) Clock() dimmnet.Clock { return dimmnet.Wall }

// Run starts body on nodes nodes, of a joined network on its own, each with an LLCM of
// zeros, and returns when the threads of all ranks have returned: nil, or the first
// failure, that of another rank included (as a *Failed). After a failure it waits no
// longer than Config.Grace and a second.
func (n *Network) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	cfg, err := n.cfg.withDefaults(nodes)
	if err != nil {
		return err
	}
	if body == nil {
		return errors.New("tcp: no body to run")
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return errors.New("tcp: this machine is big-endian")
	}
	if n.member != nil && nodes != n.member.Size() {
		return fmt.Errorf("tcp: %d nodes are asked for, and the job has %d ranks", nodes, n.member.Size())
	}
	if err := n.checkIdentity(&cfg); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return cancelled(ctx)
	}
	if n.member == nil {
		cfg.Stall = -1 // they share a process
	}
	c := &crew{cfg: cfg, load: newLoad(), start: time.Now()}
	if n.member != nil {
		c.run(ctx, n.member, body)
		return c.result()
	}
	if cfg.Encrypt {
		if c.authority, err = identity.NewAuthority(nodes); err != nil {
			return err
		}
	}
	inner, stop := context.WithCancel(ctx) // for those that wait for one who cannot come
	defer stop()
	addresses, start := newMeeting(nodes), newMeeting(nodes)
	var all sync.WaitGroup
	for rank := range nodes {
		all.Go(func() {
			if !c.run(inner, guest{addresses, start, dimmnet.Rank(rank)}, body) {
				stop()
			}
		})
	}
	all.Wait()
	return c.result()
}

// checkIdentity says what is wrong with what encrypts.
func (n *Network) checkIdentity(cfg *Config) error {
	id, m := cfg.Identity, n.member
	switch {
	case m == nil && id != nil:
		return fmt.Errorf("tcp: Config.Identity is %v, and all ranks are in this process: it wants Encrypt", id)
	case m != nil && id == nil && cfg.Encrypt:
		return errors.New("tcp: Config.Encrypt is of a network in one process, this one is joined: it wants an Identity")
	case m != nil && id != nil && (id.Rank() != m.Rank() || id.Size() != m.Size()):
		return fmt.Errorf("tcp: Config.Identity is %v, this is rank %d of %d", id, m.Rank(), m.Size())
	}
	return nil
}

// cancelled is the failure of a run whose context is done.
func cancelled(ctx context.Context) error {
	return fmt.Errorf("tcp: %w", dimmnet.ContextErr(ctx))
}
