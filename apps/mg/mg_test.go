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

// TestMostRanks verifies runs in which some ranks have no planes of the second level.
func TestMostRanks(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		for _, nodes := range []int{21, 32} {
			on := fagus.Config{Nodes: nodes, Mode: mode, Net: apptest.Simulated(t, sim.Config{})}
			if r := apptest.First(t, mg.Run, on, npb.Config{Class: npb.S}); r.Excess() > 1 {
				t.Errorf("%d nodes, %v mode: %v", nodes, mode, r.Checks)
			}
		}
	}
}

// TestTooMany checks that a run fails with more ranks than planes.
func TestTooMany(t *testing.T) {
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 33}, func(n *fagus.Node) error {
		_, err := mg.Run(n, npb.Config{Class: npb.S})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "enough for 32 nodes at most") {
		t.Errorf("33 nodes: error %v, want one that allows 32 nodes at most", err)
	}
}

// TestMoves checks that only planes that ranks read are moved, on 4 nodes with 8 planes each on
// the finest level. Of the finest level a rank receives two planes for each residual and
// smoothing, and one for restricting. Of the next level it receives two for each residual and
// smoothing, and one each for restricting and prolonging. Of the third level it receives all 8
// planes.
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
	below := nodes*iterations*(2+2+1+1)*8*16*16 + iterations*(nodes-1)*8*8*8*8
	bytes := uint64(0)
	for _, r := range report.Ranks {
		bytes += r.Messages().Bytes
	}
	if least := uint64(planes + below); bytes < least || bytes > least*107/100 {
		t.Errorf("%d bytes in all, want %d and up to 7 %% more for headers", bytes, least)
	}
}
