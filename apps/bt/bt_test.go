package bt_test

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/apps/bt"
	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestBenchmark checks several numbers of nodes. On 12 nodes the first and the last rank have only
// a plane of the boundary.
func TestBenchmark(t *testing.T) {
	apptest.Benchmark{Run: bt.Run, Plain: bt.Plain, Guarded: 3, Spoiled: []int{3, 12}}.Test(t)
}

// TestMostRanks verifies runs in which planes have tiles of their own, and ranks with no planes.
func TestMostRanks(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		for _, nodes := range []int{5, 12} {
			on := fagus.Config{Nodes: nodes, Mode: mode, Net: apptest.Simulated(t, sim.Config{})}
			if r := apptest.First(t, bt.Run, on, npb.Config{Class: npb.S}); r.Excess() > 1 {
				t.Errorf("%d nodes, %v mode: %v", nodes, mode, r.Checks)
			}
		}
	}
}

// TestTooMany checks that a run fails with more ranks than planes.
func TestTooMany(t *testing.T) {
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 13}, func(n *fagus.Node) error {
		_, err := bt.Run(n, npb.Config{Class: npb.S})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "enough for 12 nodes at most") {
		t.Errorf("13 nodes: error %v, want one that allows 12 nodes at most", err)
	}
}
