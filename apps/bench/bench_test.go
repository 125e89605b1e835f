package bench_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/apps/bench"
	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus"
)

// everything returns all operations, with small sizes.
func everything() []bench.Config {
	all := []bench.Config{
		{Op: bench.Barrier}, {Op: bench.Sum}, {Op: bench.HandOver, Bytes: 8200},
		{Op: bench.Stream, Bytes: 200}, {Op: bench.StreamRead, Bytes: 8}, {Op: bench.Matmul, N: 9}, {Op: bench.Product, N: 5},
	}
	for i := range all {
		all[i].Samples, all[i].Batch = 3, 10*fagus.Microsecond
	}
	return all
}

// TestSamples checks that rank 0 gets the requested number of sorted samples, and that the other
// ranks get none.
func TestSamples(t *testing.T) {
	longtest.Third(t)
	apptest.Everywhere(t, func(on fagus.Config) { testSamples(t, on) })
}

// TestOneCopy runs TestSamples with one copy of every array for all ranks.
func TestOneCopy(t *testing.T) {
	for _, on := range apptest.Modes() {
		for on.Nodes = 1; on.Nodes <= 4; on.Nodes++ {
			on.Net, on.Placement = inproc.New(inproc.Config{}), fagus.PlaceShared
			testSamples(t, on)
		}
	}
}

func testSamples(t *testing.T, on fagus.Config) {
	t.Helper()
	for _, cfg := range everything() {
		results := apptest.Run(t, on, string(cfg.Op), func(n *fagus.Node) ([]fagus.Time, error) { return bench.Run(n, cfg) })
		for r, samples := range results {
			if r > 0 && samples != nil {
				t.Errorf("%s: rank %d has samples", cfg.Op, r)
			}
		}
		if s := results[0]; len(s) != 3 || !slices.IsSorted(s) || s[0] <= 0 && (on.Nodes > 1 || on.Net.Clock() == "wall") {
			t.Errorf("%s on %d nodes: samples %v", cfg.Op, on.Nodes, s)
		}
	}
}

// TestValidate checks that invalid configurations are rejected.
func TestValidate(t *testing.T) {
	for want, cfg := range map[string]bench.Config{
		`operation "lunch"`:     {Op: "lunch"},
		"order 0":               {Op: bench.Matmul, Samples: 1, Batch: 1},
		"12 bytes":              {Op: bench.HandOver, Bytes: 12, Samples: 1, Batch: 1},
		"0 samples of 1.000 us": {Op: bench.Barrier, Batch: fagus.Microsecond},
	} {
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
