package cg_test

import (
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/cg"
	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

func run(t *testing.T, on fagus.Config, cfg npb.Config) verify.Result {
	t.Helper()
	return apptest.Run(t, on, "class S", func(n *fagus.Node) (verify.Result, error) { return cg.Run(n, cfg) })[0]
}

// counts are of nodes.
func counts() []int {
	if testing.Short() {
		return []int{1, 3}
	}
	return []int{1, 2, 3, 4}
}

// TestVerified: class S passes, and has the same bits in both modes and on both networks.
func TestVerified(t *testing.T) {
	for _, nodes := range counts() {
		first := run(t, fagus.Config{Nodes: nodes}, npb.Config{Class: npb.S})
		for _, mode := range []fagus.Engine{fagus.Phase, fagus.Threaded} {
			for _, net := range []dimmnet.Network{apptest.Simulated(t, sim.Config{}), inproc.New(inproc.Config{})} {
				r := run(t, fagus.Config{Nodes: nodes, Mode: mode, Net: net}, npb.Config{Class: npb.S})
				if r.Excess() > 1 || r.Checks[0].Got != first.Checks[0].Got || !slices.Equal(r.Lines, first.Lines) {
					t.Errorf("%d nodes, %v mode: %v, %v, at first %v", nodes, mode, r.Lines, r.Checks, first.Checks)
				}
			}
		}
	}
}

// TestPlacement: it does not count on copies of its own, nor on one of all.
func TestPlacement(t *testing.T) {
	for _, on := range apptest.Engines()[:2] { // both modes
		for _, on.Placement = range []fagus.Placement{fagus.PlacePrivate, fagus.PlaceShared} {
			on.Nodes = 2
			if r := run(t, on, npb.Config{Class: npb.S}); r.Excess() > 1 {
				t.Errorf("%v mode, placement %v: %v, %v", on.Mode, on.Placement, r.Lines, r.Checks)
			}
		}
	}
}

// TestChecked: it touches nothing that it does not hold.
func TestChecked(t *testing.T) {
	for _, on := range apptest.Engines()[:2] { // both modes
		on.Nodes, on.Check = 2, fagus.CheckStrict
		if r := run(t, on, npb.Config{Class: npb.S}); r.Excess() > 1 {
			t.Errorf("%v mode: %v, %v", on.Mode, r.Lines, r.Checks)
		}
	}
}

// TestSpoiled: a wrong number is found, whoever has it.
func TestSpoiled(t *testing.T) {
	for _, nodes := range counts() {
		if r := run(t, fagus.Config{Nodes: nodes}, npb.Config{Class: npb.S, Spoil: true}); r.Excess() <= 1 {
			t.Errorf("%d nodes: verified in spite of a wrong number: %v", nodes, r.Checks)
		}
	}
}
