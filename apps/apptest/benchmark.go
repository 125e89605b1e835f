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
func (b Benchmark) SameBits(t *testing.T) { b.sameBits(t, 1, 2, 3, 4) }

// SameBitsEach: class S passes in both modes on 1 to 4 nodes, with the same bits on equally many.
func (b Benchmark) SameBitsEach(t *testing.T) {
	counts := []int{1, 2, 3, 4}
	if testing.Short() {
		counts = []int{1, 3}
	}
	for _, nodes := range counts {
		b.sameBits(t, nodes)
	}
}

func (b Benchmark) sameBits(t *testing.T, counts ...int) {
	t.Helper()
	var first verify.Result
	for _, mode := range []fagus.Engine{fagus.Phase, fagus.Threaded} {
		for _, nodes := range counts {
			for _, net := range []dimmnet.Network{inproc.New(inproc.Config{}), Simulated(t, sim.Config{})} {
				r := b.Run(t, fagus.Config{Nodes: nodes, Net: net, Mode: mode}, false)
				if first.Checks == nil {
					first = r
				}
				if r.Excess() > 1 || !slices.Equal(r.Checks, first.Checks) || !slices.Equal(r.Lines, first.Lines) {
					t.Errorf("%d nodes, %v mode: %v, %v; want the bits of %v, %v", nodes, mode, r.Checks, r.Lines, first.Checks, first.Lines)
				}
			}
		}
	}
}

// Guarded: class S passes with copies of its own for every rank and with one of all, and touches nothing
// that it does not hold.
func (b Benchmark) Guarded(t *testing.T, nodes int) {
	for _, on := range Engines() {
		on.Nodes = nodes
		for _, on.Placement = range []fagus.Placement{fagus.PlacePrivate, fagus.PlaceShared} {
			if r := b.Run(t, on, false); r.Excess() > 1 {
				t.Errorf("%d nodes, %v mode, placement %v: %v", nodes, on.Mode, on.Placement, r.Checks)
			}
		}
		on.Placement, on.Check = fagus.PlacePrivate, fagus.CheckStrict
		if r := b.Run(t, on, false); r.Excess() > 1 {
			t.Errorf("%d nodes, %v mode, checked: %v", nodes, on.Mode, r.Checks)
		}
	}
}

// Plain is one of them without Fagus.
type Plain func(npb.Config, verify.Timer) verify.Result

// SamePlain: without Fagus class S has the same bits as on some nodes, its timed section is run once, and a
// wrong number is found.
func (b Benchmark) SamePlain(t *testing.T, plain Plain, nodes int) {
	timed := 0
	timer := func(section func()) fagus.Time { timed++; section(); return 1 }
	got, want := plain(npb.Config{Class: npb.S}, timer), b.Run(t, fagus.Config{Nodes: nodes}, false)
	if !slices.Equal(got.Checks, want.Checks) || got.Excess() > 1 || got.Operations != want.Operations || timed != 1 {
		t.Errorf("plain: %v, %g operations, timed %d times; want %v, %g operations", got.Checks, got.Operations, timed, want.Checks, want.Operations)
	}
	if !slices.Equal(got.Lines, want.Lines) {
		t.Errorf("plain says %q, want %q", got.Lines, want.Lines)
	}
	if r := plain(npb.Config{Class: npb.S, Spoil: true}, timer); r.Excess() <= 1 {
		t.Errorf("plain: a wrong number passes: %v", r.Checks)
	}
}

// Spoiled: a wrong number is found.
func (b Benchmark) Spoiled(t *testing.T, nodes int) {
	if r := b.Run(t, fagus.Config{Nodes: nodes}, true); r.Excess() <= 1 {
		t.Errorf("%d nodes: a wrong number passes: %v", nodes, r.Checks)
	}
}
