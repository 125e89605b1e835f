package mesh

import (
	"context"
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
	"github.com/fagus-dsm/fagus/dimmnet/live/memory"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// Network runs programs on processes of several hosts, or on goroutines of this process.
type Network struct {
	local.Membership
	cfg       Config
	transport Transport
}

var _ dimmnet.Joiner = (*Network)(nil)

// Transport describes one network between hosts: the parts in which such networks differ.
type Transport struct {
	Name string // name of the network, for messages
	// Encrypts means that the transport always encrypts: Config.Encrypt has no effect.
	Encrypts bool
	Sums     func(cfg *Config) stream.Sums
	// Helped is as in stream.Config.
	Helped bool
	// Prepare returns the function that connects each rank to the others. cfg has its defaults.
	Prepare func(cfg *Config, nodes int) (stream.Join, error)
}

// NewNetwork returns a network of which this process is rank m or, if m is nil, whose ranks are
// all in this process and connected over loopback.
func NewNetwork(t Transport, cfg Config, m dimmnet.Member) *Network {
	return &Network{Membership: local.Membership{Member: m}, cfg: cfg, transport: t}
}

// Run starts body on nodes nodes, or on this process's node of a joined network, each with an LLCM
// of zeros. It returns when the threads of all ranks have returned: nil or the first failure,
// which is a *dimmnet.Failed if another rank failed. After a failure, Run waits at most
// Config.Grace plus one second; over quic, plus three seconds.
func (n *Network) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	t := &n.transport
	cfg, err := n.cfg.WithDefaults(t.Name, nodes)
	if err != nil {
		return err
	}
	if err := n.checkIdentity(); err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	if n.Member == nil {
		cfg.Stall = -1 // ranks of one process are stopped together
	}
	join, err := t.Prepare(&cfg, nodes)
	if err != nil {
		return err
	}
	return stream.Run(ctx, stream.Config{
		Network: t.Name, Limits: memory.Limits(cfg.LLCM, cfg.Bulk), Sums: t.Sums(&cfg), Helped: t.Helped,
		Joining: cfg.Joining, Stall: cfg.Stall, Warn: cfg.Warn, Patience: cfg.Patience, Grace: cfg.Grace,
	}, n.Member, nodes, join, body)
}

// checkIdentity returns an error if Config.Identity or Config.Encrypt does not fit the network.
func (n *Network) checkIdentity() error {
	id, m := n.cfg.Identity, n.Member
	switch {
	case m == nil && id != nil:
		return fmt.Errorf("all ranks are in this process, but Config.Identity is %v: leave it nil, and set Config.Encrypt", id)
	case m != nil && id == nil && n.cfg.Encrypt && !n.transport.Encrypts:
		return errors.New("this network is joined, and Config.Encrypt is set: set Config.Identity instead")
	case m != nil && id != nil && (id.Rank() != m.Rank() || id.Size() != m.Size()):
		return fmt.Errorf("Config.Identity is %v, this is rank %d of %d", id, m.Rank(), m.Size())
	}
	return nil
}
