package quic

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/stream"
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
// failure, that of another rank included (as a *stream.Failed). After a failure it waits no
// longer than Config.Grace and three seconds.
func (n *Network) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	cfg, err := n.cfg.withDefaults(nodes)
	if err != nil {
		return err
	}
	switch id, m := cfg.Identity, n.member; {
	case m == nil && id != nil:
		return fmt.Errorf("quic: Config.Identity is %v, and all ranks are in this process", id)
	case m == nil:
		cfg.Stall = -1 // they share a process
	case id != nil && (id.Rank() != m.Rank() || id.Size() != m.Size()):
		return fmt.Errorf("quic: Config.Identity is %v, this is rank %d of %d", id, m.Rank(), m.Size())
	}
	join := func(ctx context.Context, m dimmnet.Member) (*stream.Links, error) {
		j, err := connect(ctx, &cfg, m)
		if err != nil {
			return nil, err
		}
		return j.links(cfg.Stall > 0)
	}
	return stream.Run(ctx, cfg.stream(), n.member, nodes, join, body)
}
