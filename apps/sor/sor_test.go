package sor_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/apps/sor"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestEverywhere checks that runs have the same bits as the program without Fagus, converged or
// not.
func TestEverywhere(t *testing.T) {
	configs := []sor.Config{{N: 3, Iterations: 2}, {N: 4, Iterations: 5}, {N: 9, Iterations: 4}, {N: 12, Iterations: 3}}
	var want [4]float64
	for i, cfg := range configs {
		want[i] = sor.Plain(cfg, apptest.Timer).Error
	}
	apptest.Everywhere(t, func(on fagus.Config) {
		for i, cfg := range configs {
			if got := apptest.First(t, sor.Run, on, cfg).Error; got != want[i] {
				t.Errorf("%d nodes, %v mode, %+v: error %g, want %g as without Fagus", on.Nodes, on.Mode, cfg, got, want[i])
			}
		}
	})
}

// TestRandomDelays checks that delays do not change the bits, long before convergence.
func TestRandomDelays(t *testing.T) {
	cfg := sor.Config{N: 10, Iterations: 5}
	want := apptest.First(t, sor.Run, fagus.Config{Nodes: 1}, cfg).Error
	apptest.Delayed(t, func(t *testing.T, seed uint64, on fagus.Config) {
		if got := apptest.First(t, sor.Run, on, cfg).Error; got != want {
			t.Errorf("seed %d: %d nodes, %v mode: error %g, want %g as on 1 node", seed, on.Nodes, on.Mode, got, want)
		}
	})
}

// TestConverges checks that the default number of iterations reaches the tolerance, and that few
// iterations or a planted error do not.
func TestConverges(t *testing.T) {
	for _, n := range []int{3, 50, 101} {
		for _, c := range []struct {
			cfg  sor.Config
			near bool
		}{
			{sor.Config{N: n}, true},
			// a single point is the mean of its neighbours at once
			{sor.Config{N: n, Iterations: n - 2}, n == 3},
			{sor.Config{N: n, Options: verify.Options{Spoil: true}}, false},
		} {
			if got := apptest.First(t, sor.Run, fagus.Config{Nodes: 2}, c.cfg).Error; got <= sor.Tolerance != c.near {
				t.Errorf("%+v: error %g, want at most the tolerance: %v", c.cfg, got, c.near)
			}
			if got := sor.Plain(c.cfg, apptest.Timer).Error; got <= sor.Tolerance != c.near {
				t.Errorf("%+v, without Fagus: error %g, want at most the tolerance: %v", c.cfg, got, c.near)
			}
		}
	}
}

// TestValidate checks that invalid configurations are rejected.
func TestValidate(t *testing.T) {
	for _, cfg := range []sor.Config{{N: 2}, {N: 5, Iterations: -1}} {
		if cfg.Validate() == nil {
			t.Errorf("%+v: Validate returns no error", cfg)
		}
	}
}
