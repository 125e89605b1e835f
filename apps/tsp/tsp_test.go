package tsp_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/apps/tsp"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// run returns the result of every rank. The time of a run is bounded.
func run(t *testing.T, on fagus.Config, cfg tsp.Config) []tsp.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	results := make([]tsp.Result, on.Nodes)
	_, err := fagus.Run(ctx, on, func(n *fagus.Node) (err error) {
		results[n.Rank()], err = tsp.Run(n, cfg)
		return err
	})
	if err != nil {
		t.Fatalf("%d nodes, %v mode, %+v: %v", on.Nodes, on.Mode, cfg, err)
	}
	if r := results[0]; r.Length != r.Optimum {
		t.Fatalf("%d nodes, %v mode, %+v: a tour of length %d, the shortest has %d", on.Nodes, on.Mode, cfg, r.Length, r.Optimum)
	}
	return results
}

func simulated(t *testing.T, cfg sim.Config) dimmnet.Network {
	t.Helper()
	net, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// engines are the ways to run a program.
func engines() []fagus.Config {
	return []fagus.Config{{Mode: fagus.Phase}, {Mode: fagus.Threaded}, {Mode: fagus.Threaded, Notices: true}}
}

func TestEverywhere(t *testing.T) {
	for _, on := range engines() {
		for _, cfg := range []tsp.Config{
			{Cities: 1}, {Cities: 2, Depth: 1}, {Cities: 3, Depth: 4}, {Cities: 7, Seed: 3}, {Cities: 10, Seed: 4, Depth: 2},
		} {
			for nodes := 1; nodes <= 4; nodes++ {
				on.Nodes = nodes
				on.Net = simulated(t, sim.Config{Limit: 100 * dimmnet.Second})
				run(t, on, cfg)
				on.Net = inproc.New(inproc.Config{})
				run(t, on, cfg)
			}
		}
	}
}

func TestRandomDelays(t *testing.T) {
	seeds := uint64(30)
	if testing.Short() {
		seeds = 5
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			for _, on := range engines() {
				on.Nodes = 2 + int(seed%3)
				on.Net = simulated(t, sim.Config{Seed: seed, Limit: 100 * dimmnet.Second})
				run(t, on, tsp.Config{Cities: 8, Seed: seed, Depth: 1 + int(seed%4)})
			}
		})
	}
}

func TestBurma14(t *testing.T) {
	results := run(t, fagus.Config{Nodes: 3, Mode: fagus.Threaded}, tsp.Config{Instance: tsp.Burma14})
	if r := results[0]; r.Length != 3323 || len(r.Tour) != 14 || r.Tour[0] != 0 {
		t.Errorf("%+v: TSPLIB says 3323", r)
	}
}

// TestThreadsShareTheSearch has tours that take long against the stack's way: two ranks
// must be much faster than one. In phases they are not.
func TestThreadsShareTheSearch(t *testing.T) {
	cfg := tsp.Config{Cities: 14, Seed: 3, Depth: 2}
	alone := run(t, fagus.Config{Nodes: 1, Net: simulated(t, sim.Config{})}, cfg)[0]
	if alone.Time < 20*fagus.Millisecond {
		t.Fatalf("%v alone: too easy to say anything", alone.Time)
	}
	for _, on := range engines() {
		on.Nodes, on.Net = 2, simulated(t, sim.Config{})
		if on.Mode == fagus.Threaded && !on.Notices {
			continue // the thread that polls takes a CPU of two
		}
		results := run(t, on, cfg)
		slowest := max(results[0].Time, results[1].Time)
		if fast := slowest < alone.Time*7/10; fast != (on.Mode == fagus.Threaded) {
			t.Errorf("%v mode: %v, alone %v", on.Mode, slowest, alone.Time)
		}
	}
}

func TestConfigIsValidated(t *testing.T) {
	for _, cfg := range []tsp.Config{
		{}, {Cities: -1}, {Cities: tsp.MaxCities + 1}, {Cities: 5, Depth: -1}, {Cities: 5, Depth: 5}, {Instance: "berlin52"},
	} {
		if err := cfg.Validate(); err == nil {
			t.Errorf("%+v is valid", cfg)
		}
	}
}
