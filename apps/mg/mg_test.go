package mg_test

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/mg"
	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestVerified: class S passes in both modes, with the same bits on 1 to 4 nodes.
func TestVerified(t *testing.T) { apptest.Benchmark(mg.Run).SameBits(t) }

// TestGuarded: it counts on no placement, and touches nothing that it does not hold.
func TestGuarded(t *testing.T) { apptest.Benchmark(mg.Run).Guarded(t, 3) }

// TestPlain: the program without Fagus has the same bits.
func TestPlain(t *testing.T) { apptest.Benchmark(mg.Run).SamePlain(t, mg.Plain, 2) }

// TestSpoiled: a wrong charge is found.
func TestSpoiled(t *testing.T) { apptest.Benchmark(mg.Run).Spoiled(t, 3) }

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

// TestMoves: planes move that are read, and no others. On 4 nodes with 8 planes each on the finest level a rank gets two
// of these for each residual and smoothing, and one for restricting; and all of the 16 planes below.
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
