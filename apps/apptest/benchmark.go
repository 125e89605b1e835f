package apptest

import (
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// Benchmark runs one of the NAS Parallel Benchmarks.
type Benchmark func(*fagus.Node, npb.Config) (verify.Result, error)

// Run is the result of rank 0 in class S.
func (b Benchmark) Run(t testing.TB, on fagus.Config, spoil bool) verify.Result {
	t.Helper()
	return Run(t, on, "class S", func(n *fagus.Node) (verify.Result, error) { return b(n, npb.Config{Class: npb.S, Spoil: spoil}) })[0]
}

// SameBits: class S passes in both modes, with the same bits on 1 to 4 nodes.
func (b Benchmark) SameBits(t *testing.T) {
	var first []verify.Check
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

// Plain is one of them without Fagus.
type Plain func(npb.Config, verify.Timer) verify.Result

// SamePlain: without Fagus class S has the same bits as on 2 nodes, and its timed section is run once.
func (b Benchmark) SamePlain(t *testing.T, plain Plain) {
	timed := 0
	got := plain(npb.Config{Class: npb.S}, func(section func()) fagus.Time { timed++; section(); return 1 })
	want := b.Run(t, fagus.Config{Nodes: 2}, false)
	if !slices.Equal(got.Checks, want.Checks) || got.Excess() > 1 || got.Operations != want.Operations || timed != 1 {
		t.Errorf("plain: %v, %g operations, timed %d times; want %v, %g operations", got.Checks, got.Operations, timed, want.Checks, want.Operations)
	}
}

// Spoiled: a wrong number is found.
func (b Benchmark) Spoiled(t *testing.T, nodes int) {
	if r := b.Run(t, fagus.Config{Nodes: nodes}, true); r.Excess() <= 1 {
		t.Errorf("%d nodes: a wrong number passes: %v", nodes, r.Checks)
	}
}
