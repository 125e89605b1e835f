package apptest

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// Benchmark runs one of the NAS Parallel Benchmarks.
type Benchmark func(*fagus.Node, npb.Config) (npb.Result, error)

// Run is the result of rank 0 in class S.
func (b Benchmark) Run(t testing.TB, on fagus.Config, spoil bool) npb.Result {
	t.Helper()
	return Run(t, on, "class S", func(n *fagus.Node) (npb.Result, error) { return b(n, npb.Config{Class: npb.S, Spoil: spoil}) })[0]
}

// SameBits: class S passes in both modes, with the same bits on 1 to 4 nodes.
func (b Benchmark) SameBits(t *testing.T) {
	var first []npb.Check
	for _, mode := range []fagus.Engine{fagus.Phase, fagus.Threaded} {
		for nodes := 1; nodes <= 4; nodes++ {
			for _, net := range []dimmnet.Network{inproc.New(inproc.Config{}), Simulated(t, sim.Config{})} {
				r := b.Run(t, fagus.Config{Nodes: nodes, Net: net, Mode: mode}, false)
				if r.Excess() > 1 {
					t.Errorf("%d nodes, %v mode: %v", nodes, mode, r.Checks)
				}
				if first == nil {
					first = r.Checks
				}
				for i, c := range r.Checks {
					if c != first[i] {
						t.Errorf("%d nodes, %v mode: %v, want the bits of %v", nodes, mode, c, first[i])
					}
				}
			}
		}
	}
}

// Spoiled: a wrong number is found.
func (b Benchmark) Spoiled(t *testing.T, nodes int) {
	if r := b.Run(t, fagus.Config{Nodes: nodes}, true); r.Excess() <= 1 {
		t.Errorf("%d nodes: a wrong number passes: %v", nodes, r.Checks)
	}
}
