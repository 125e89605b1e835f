package adi_test

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/apps/bt"
	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/npb/adi"
	"github.com/fagus-dsm/fagus/apps/sp"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// each runs a test of each benchmark.
func each(t *testing.T, test func(t *testing.T, b adi.Benchmark)) {
	for _, b := range []adi.Benchmark{bt.Benchmark(), sp.Benchmark()} {
		t.Run(b.Name, func(t *testing.T) { test(t, b) })
	}
}

// TestBenchmark checks several numbers of nodes. On 12 nodes the first and the last rank have only
// a plane of the boundary.
func TestBenchmark(t *testing.T) {
	each(t, func(t *testing.T, b adi.Benchmark) {
		apptest.Benchmark{Run: b.Run, Plain: b.Plain, Guarded: 3, Spoiled: []int{3, 12}}.Test(t)
	})
}

// TestMostRanks verifies runs in which planes have tiles of their own, and ranks with no planes.
func TestMostRanks(t *testing.T) {
	longtest.Third(t)
	each(t, func(t *testing.T, b adi.Benchmark) {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			for _, nodes := range []int{5, 12} {
				on := fagus.Config{Nodes: nodes, Mode: mode, Net: apptest.Simulated(t, sim.Config{})}
				if r := apptest.First(t, b.Run, on, npb.Config{Class: npb.S}); r.Excess() > 1 {
					t.Errorf("%d nodes, %v mode: %v", nodes, mode, r.Checks)
				}
			}
		}
	})
}

// TestTooMany checks that a run fails with more ranks than planes.
func TestTooMany(t *testing.T) {
	each(t, func(t *testing.T, b adi.Benchmark) {
		_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 13}, func(n *fagus.Node) error {
			_, err := b.Run(n, npb.Config{Class: npb.S})
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "enough for 12 nodes at most") {
			t.Errorf("13 nodes: error %v, want one that allows 12 nodes at most", err)
		}
	})
}

// TestMoves checks that only data that ranks read are moved, on 4 nodes with 3 planes and 3 rows
// each. In a step, 3 quarters of the right side move from planes to rows, and as much of the
// solution from rows to planes, with 2 or 4 more planes for each rank. The forcing and the last
// residual need the solution once more.
func TestMoves(t *testing.T) {
	longtest.Third(t)
	each(t, func(t *testing.T, b adi.Benchmark) {
		const nodes, length = 4, 64
		steps := b.Problem(npb.S).Steps
		report, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Net: apptest.Simulated(t, sim.Config{})}, func(n *fagus.Node) error {
			_, err := b.Run(n, npb.Config{Class: npb.S})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		rhs, solution := 12, 12+2+4+4+2
		least := uint64((steps*rhs + (steps+2)*solution) * 12 * length * 8 * (nodes - 1) / nodes)
		bytes := uint64(0)
		for _, r := range report.Ranks {
			bytes += r.Messages().Bytes
		}
		if bytes < least || bytes > least*107/100 {
			t.Errorf("%d bytes in all, want %d and up to 7 %% more for headers", bytes, least)
		}
	})
}
