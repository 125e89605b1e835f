package sor_test

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/sor"
	"github.com/fagus-dsm/fagus/fagus"
)

func run(t *testing.T, on fagus.Config, cfg sor.Config) sor.Result {
	t.Helper()
	results := apptest.Run(t, on, fmt.Sprintf("%+v", cfg), func(n *fagus.Node) (sor.Result, error) { return sor.Run(n, cfg) })
	return results[0]
}

// TestEverywhere: the same bits as without Fagus, whether they are near the solution yet or not.
func TestEverywhere(t *testing.T) {
	configs := []sor.Config{{N: 3, Iterations: 2}, {N: 4, Iterations: 5}, {N: 9, Iterations: 4}, {N: 12, Iterations: 3}}
	var want [4]float64
	for i, cfg := range configs {
		want[i] = sor.Plain(cfg, apptest.Timer).Error
	}
	apptest.Everywhere(t, func(on fagus.Config) {
		for i, cfg := range configs {
			if got := run(t, on, cfg).Error; got != want[i] {
				t.Errorf("%d nodes, %v mode, %+v: an error of %g, want %g as without Fagus", on.Nodes, on.Mode, cfg, got, want[i])
			}
		}
	})
}

// TestRandomDelays: nor does it depend on who is late, long before it is near the solution.
func TestRandomDelays(t *testing.T) {
	cfg := sor.Config{N: 10, Iterations: 5}
	want := run(t, fagus.Config{Nodes: 1}, cfg).Error
	apptest.Delayed(t, func(t *testing.T, seed uint64, on fagus.Config) {
		if got := run(t, on, cfg).Error; got != want {
			t.Errorf("seed %d: %d nodes, %v mode: an error of %g, want %g as on 1 node", seed, on.Nodes, on.Mode, got, want)
		}
	})
}

// TestConverges: by default far enough, and not with few iterations, nor spoiled.
func TestConverges(t *testing.T) {
	for _, n := range []int{3, 50, 101} {
		for _, c := range []struct {
			cfg  sor.Config
			near bool
		}{
			{sor.Config{N: n}, true},
			{sor.Config{N: n, Iterations: n - 2}, n == 3}, // one point is its neighbours' mean at once
			{sor.Config{N: n, Spoil: true}, false},
		} {
			if got := run(t, fagus.Config{Nodes: 2}, c.cfg).Error; got <= sor.Tolerance != c.near {
				t.Errorf("%+v: an error of %g", c.cfg, got)
			}
			if got := sor.Plain(c.cfg, apptest.Timer).Error; got <= sor.Tolerance != c.near {
				t.Errorf("%+v, without Fagus: an error of %g", c.cfg, got)
			}
		}
	}
}

// TestValidate: what cannot be is told.
func TestValidate(t *testing.T) {
	for _, cfg := range []sor.Config{{N: 2}, {N: 5, Iterations: -1}} {
		if cfg.Validate() == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
}
