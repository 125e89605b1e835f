package ssor_test

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/ssor"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

func TestBenchmark(t *testing.T) {
	apptest.Benchmark{Run: ssor.Run, Plain: ssor.Plain, Guarded: 3, Spoiled: []int{3}}.Test(t)
}

// TestMostRanks verifies runs in which some or all ranks have one plane, and so need planes of
// ranks that are not their neighbours.
func TestMostRanks(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		for _, nodes := range []int{7, 10} {
			on := fagus.Config{Nodes: nodes, Mode: mode, Net: apptest.Simulated(t, sim.Config{})}
			if r := apptest.First(t, ssor.Run, on, npb.Config{Class: npb.S}); r.Excess() > 1 {
				t.Errorf("%d nodes, %v mode: %v", nodes, mode, r.Checks)
			}
		}
	}
}

// TestTooMany checks that a run fails with more ranks than planes that are computed.
func TestTooMany(t *testing.T) {
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 11}, func(n *fagus.Node) error {
		_, err := ssor.Run(n, npb.Config{Class: npb.S})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "enough for 10 nodes at most") {
		t.Errorf("11 nodes: error %v, want one that allows 10 nodes at most", err)
	}
}

// TestMoves checks that only data that ranks read are moved, on 2 nodes with 5 planes each: the
// edges of 10 x 12 points in each sweep, and two planes of 12 x 12 unknowns to each rank for each
// residual, of which two are computed before the first iteration.
func TestMoves(t *testing.T) {
	const nodes, iterations, vector = 2, 50, 5 * 8
	report, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Net: apptest.Simulated(t, sim.Config{})}, func(n *fagus.Node) error {
		_, err := ssor.Run(n, npb.Config{Class: npb.S})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	least := uint64(iterations*2*10*12*vector + (2+iterations)*nodes*2*12*12*vector)
	bytes := uint64(0)
	for _, r := range report.Ranks {
		bytes += r.Messages().Bytes
	}
	if bytes < least || bytes > least*115/100 {
		t.Errorf("%d bytes in all, want %d and up to 15 %% more for headers and stamps", bytes, least)
	}
}
