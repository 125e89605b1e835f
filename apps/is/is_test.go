package is_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/is"
	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

func run(t *testing.T, on fagus.Config, cfg npb.Config) verify.Result {
	t.Helper()
	return apptest.Run(t, on, "class S", func(n *fagus.Node) (verify.Result, error) { return is.Run(n, cfg) })[0]
}

// TestVerified: class S passes everywhere.
func TestVerified(t *testing.T) {
	apptest.Everywhere(t, func(on fagus.Config) {
		if r := run(t, on, npb.Config{Class: npb.S}); r.Excess() > 1 {
			t.Errorf("%d nodes, %v mode: %v, %v", on.Nodes, on.Mode, r.Lines, r.Checks)
		}
	})
}

// TestPlacement: it does not count on copies of its own, nor on one of all.
func TestPlacement(t *testing.T) {
	for _, on := range apptest.Engines() {
		for _, on.Placement = range []fagus.Placement{fagus.PlacePrivate, fagus.PlaceShared} {
			on.Nodes = 3
			if r := run(t, on, npb.Config{Class: npb.S}); r.Excess() > 1 {
				t.Errorf("%v mode, placement %v: %v, %v", on.Mode, on.Placement, r.Lines, r.Checks)
			}
		}
	}
}

// TestChecked: it touches nothing that it does not hold.
func TestChecked(t *testing.T) {
	for _, on := range apptest.Engines() {
		on.Nodes, on.Check = 3, fagus.CheckStrict
		if r := run(t, on, npb.Config{Class: npb.S}); r.Excess() > 1 {
			t.Errorf("%v mode: %v, %v", on.Mode, r.Lines, r.Checks)
		}
	}
}

// TestSpoiled: a wrong key is found, whoever has it.
func TestSpoiled(t *testing.T) {
	for nodes := 1; nodes <= 4; nodes++ {
		if r := run(t, fagus.Config{Nodes: nodes}, npb.Config{Class: npb.S, Spoil: true}); r.Excess() <= 1 {
			t.Errorf("%d nodes: verified in spite of a wrong key: %v", nodes, r.Checks)
		}
	}
}
