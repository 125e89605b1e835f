package is_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/apps/is"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

func TestBenchmark(t *testing.T) {
	apptest.Benchmark{Run: is.Run, Plain: is.Plain, Guarded: 3, Spoiled: []int{1, 2, 3, 4}}.Test(t)
}

// TestMoves checks that on 2 nodes counts travel in each of the 11 iterations, and keys only once,
// for the final sort.
func TestMoves(t *testing.T) {
	const keys, values, iterations, word = 1 << 16, 1 << 11, 1 + 10, 4
	report, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Net: apptest.Simulated(t, sim.Config{})}, func(n *fagus.Node) error {
		_, err := is.Run(n, npb.Config{Class: npb.S})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	bytes := uint64(0)
	for _, r := range report.Ranks {
		bytes += r.Messages().Bytes
	}
	if least := uint64(word * (iterations*values + keys/2)); bytes < least || bytes > least*12/10 {
		t.Errorf("%d bytes in all, want %d and up to 20 %% more for heads and the sizes of buckets", bytes, least)
	}
}

// TestKeysTravel checks 32 nodes, the least number on which the keys of class S travel.
func TestKeysTravel(t *testing.T) {
	on, cfg := fagus.Config{Nodes: 32}, npb.Config{Class: npb.S}
	apptest.Same(t, is.Run, on, cfg, is.Plain(cfg, apptest.Timer))
	cfg.Options = verify.Options{Spoil: true}
	if r := apptest.First(t, is.Run, on, cfg); r.Excess() <= 1 {
		t.Errorf("a planted error passes: %v", r.Checks)
	}
}
