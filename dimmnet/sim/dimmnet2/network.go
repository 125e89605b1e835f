package dimmnet2

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/network"
)

// Network is simulated hosts with DIMMnet-2s, in virtual time. It runs one Run at a time.
type Network struct {
	*sim.Network // its hosts
	params       Params
	passed       func(sim.Passage)
	counts       Counts
}

// New returns a network. cfg sets the hosts, the order of events, delays, node faults and the
// trace. Its DIMMnet-1 parameters have no effect.
func New(cfg sim.Config, params Params) (*Network, error) {
	if cfg.UDP != nil {
		return nil, fmt.Errorf("dimmnet2: Config.UDP is set: use package sim for a UDP network")
	}
	if err := params.check(); err != nil {
		return nil, err
	}
	hosts, err := sim.New(cfg)
	if err != nil {
		return nil, err
	}
	return &Network{Network: hosts, params: params, passed: cfg.Passed}, nil
}

// Counts returns the counts of all NICs in the last Run.
func (w *Network) Counts() Counts { return w.counts }

// Run runs body on the given number of nodes; see [dimmnet.Network].
func (w *Network) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	if most := w.params.LLCM / 2 / dimmnet.WordBytes; nodes > min(most, w.params.SODIMM/2/w.params.RingBytes) {
		return fmt.Errorf("dimmnet2: run %d nodes: want at most %d, because a node has a word in half its LLCM, and a ring in half its SO-DIMM, for each", nodes, min(most, w.params.SODIMM/2/w.params.RingBytes))
	}
	if body == nil {
		return w.Network.Run(ctx, nodes, nil)
	}
	m := &machine{Params: w.params, nics: make([]*nic, max(nodes, 0)), limits: w.params.limits(nodes), passed: w.passed}
	for i := range m.nics {
		n := &nic{machine: m, rank: dimmnet.Rank(i), memory: memory{make(network.Memory)}, rings: make([]ring, nodes), last: make([]dimmnet.Time, nodes), sent: make([]uint64, nodes)}
		n.full = make([]bool, m.Windows)
		n.window, n.prefetch = make([]byte, m.Windows*m.WindowBytes), make([]byte, m.Windows*m.WindowBytes)
		for src := range n.rings {
			n.rings[src].base = dimmnet.Offset(m.LLCM + m.SODIMM - m.RingBytes*(src+1))
		}
		m.nics[i] = n
	}
	err := w.Network.Run(ctx, nodes, func(h dimmnet.Host) error {
		core, err := sim.OpenCore(h)
		if err != nil {
			return err
		}
		return body(thread{core, m.nics[core.Rank()]})
	})
	w.counts = m.counts
	return err
}
