package mg_test

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/mg"
	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

func run(t *testing.T, on fagus.Config, spoil bool) npb.Result {
	return apptest.Run(t, on, "class S", func(n *fagus.Node) (npb.Result, error) {
		return mg.Run(n, npb.Config{Class: npb.S, Spoil: spoil})
	})[0]
}

// TestVerified: class S passes in both modes, with the same bits on 1 to 4 nodes.
func TestVerified(t *testing.T) {
	var first []npb.Check
	for _, mode := range []fagus.Engine{fagus.Phase, fagus.Threaded} {
		for nodes := 1; nodes <= 4; nodes++ {
			for _, net := range []dimmnet.Network{inproc.New(inproc.Config{}), apptest.Simulated(t, sim.Config{})} {
				r := run(t, fagus.Config{Nodes: nodes, Net: net, Mode: mode}, false)
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

// TestSpoiled: a wrong number is found.
func TestSpoiled(t *testing.T) {
	if r := run(t, fagus.Config{Nodes: 3}, true); r.Excess() <= 1 {
		t.Errorf("a wrong charge passes: %v", r.Checks)
	}
}

// TestTooMany: ranks that would have less than two planes each are refused.
func TestTooMany(t *testing.T) {
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 17}, func(n *fagus.Node) error {
		_, err := mg.Run(n, npb.Config{Class: npb.S})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "enough for 16 nodes") {
		t.Errorf("17 nodes: %v", err)
	}
}
