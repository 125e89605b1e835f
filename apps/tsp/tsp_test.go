package tsp_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/tsp"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus"
)

// run returns the result of every rank, after checking that the tour is optimal.
func run(t *testing.T, on fagus.Config, cfg tsp.Config) []tsp.Result {
	t.Helper()
	results := apptest.All(t, tsp.Run, on, cfg)
	if r := results[0]; r.Length != r.Optimum {
		t.Fatalf("%d nodes, %v mode, %+v: a tour of length %d, the shortest has %d", on.Nodes, on.Mode, cfg, r.Length, r.Optimum)
	}
	return results
}

func TestEverywhere(t *testing.T) {
	apptest.Everywhere(t, func(on fagus.Config) {
		for _, cfg := range []tsp.Config{
			{Cities: 1}, {Cities: 2, Depth: 1}, {Cities: 3, Depth: 4}, {Cities: 7, Seed: 3}, {Cities: 10, Seed: 4, Depth: 2},
		} {
			run(t, on, cfg)
		}
	})
}

func TestRandomDelays(t *testing.T) {
	apptest.Delayed(t, func(t *testing.T, seed uint64, on fagus.Config) {
		run(t, on, tsp.Config{Cities: 8, Seed: seed, Depth: 1 + int(seed%4)})
	})
}

func TestBurma14(t *testing.T) {
	results := run(t, fagus.Config{Nodes: 3, Mode: fagus.Threaded}, tsp.Config{Instance: tsp.Burma14})
	if r := results[0]; r.Length != 3323 || len(r.Tour) != 14 || r.Tour[0] != 0 {
		t.Errorf("%+v: want a tour of 14 cities from city 0, of length 3323 as in TSPLIB", r)
	}
}

// TestRanksShareTheSearch searches from tours that take long compared with a turn: two ranks must
// be much faster than one in both modes. With the costs of a host, of wake-ups above all, threaded
// mode would gain too little here.
func TestRanksShareTheSearch(t *testing.T) {
	cfg := tsp.Config{Cities: 14, Seed: 3}
	alone := run(t, fagus.Config{Nodes: 1, Net: apptest.Simulated(t, sim.Config{HostCost: presets.HostCostOff})}, cfg)[0]
	if alone.Time < 20*fagus.Millisecond {
		t.Fatalf("one rank takes %v: want at least 20 ms, or the test shows nothing", alone.Time)
	}
	for _, on := range apptest.Modes() {
		on.Nodes, on.Net = 2, apptest.Simulated(t, sim.Config{HostCost: presets.HostCostOff})
		results := run(t, on, cfg)
		slowest := max(results[0].Time, results[1].Time)
		if slowest > alone.Time*8/10 {
			t.Errorf("%v mode: two ranks take %v, one rank %v: want a gain", on.Mode, slowest, alone.Time)
		}
	}
}

func TestConfigIsValidated(t *testing.T) {
	for _, cfg := range []tsp.Config{
		{}, {Cities: -1}, {Cities: tsp.MaxCities + 1}, {Cities: 5, Depth: -1}, {Cities: 5, Depth: 5}, {Instance: "berlin52"},
	} {
		if err := cfg.Validate(); err == nil {
			t.Errorf("%+v: Validate returns no error", cfg)
		}
	}
}
