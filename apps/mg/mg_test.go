package mg_test

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/mg"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

func TestBenchmark(t *testing.T) {
	apptest.Benchmark{Run: mg.Run, Plain: mg.Plain, Guarded: 3, Spoiled: []int{3}}.Test(t)
}

// TestTooMany checks that a run fails if ranks would have less than two planes each.
func TestTooMany(t *testing.T) {
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 17}, func(n *fagus.Node) error {
		_, err := mg.Run(n, npb.Config{Class: npb.S})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "enough for 16 nodes at most") {
		t.Errorf("17 nodes: error %v, want one that allows 16 nodes at most", err)
	}
}

// TestMoves checks that only planes that ranks read are moved. On 4 nodes with 8 planes each on
// the finest level a rank receives two of these for each residual and smoothing, one for
// restricting, and all 16 planes of the level below.
func TestMoves(t *testing.T) {
	const nodes, iterations = 4, 4
	report, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Net: apptest.Simulated(t, sim.Config{})}, func(n *fagus.Node) error {
		_, err := mg.Run(n, npb.Config{Class: npb.S})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	planes := nodes * (2 + iterations*(2+2+2+1)) * 8 * 32 * 32
	below := iterations * (nodes - 1) * 8 * 16 * 16 * 16
	bytes := uint64(0)
	for _, r := range report.Ranks {
		bytes += r.Messages().Bytes
	}
	if least := uint64(planes + below); bytes < least || bytes > least*107/100 {
		t.Errorf("%d bytes in all, want %d and up to 7 %% more for headers", bytes, least)
	}
}
