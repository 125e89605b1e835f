package transpose_test

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/prk"
	"github.com/fagus-dsm/fagus/apps/transpose"
	"github.com/fagus-dsm/fagus/fagus"
)

func run(t *testing.T, on fagus.Config, cfg transpose.Config) prk.Result {
	t.Helper()
	return apptest.Run(t, on, fmt.Sprintf("%+v", cfg), func(n *fagus.Node) (prk.Result, error) { return transpose.Run(n, cfg) })[0]
}

func configs() []transpose.Config {
	return []transpose.Config{{N: 1}, {N: 3}, {N: 37}, {N: 130}}
}

// TestEverywhere: the closed form comes out, with no error at all.
func TestEverywhere(t *testing.T) {
	apptest.Everywhere(t, func(on fagus.Config) {
		for _, cfg := range configs() {
			cfg.Iterations = 4
			if r := run(t, on, cfg); r.Error != 0 {
				t.Errorf("%d nodes, %v mode, %+v: result %g, want %g", on.Nodes, on.Mode, cfg, r.Got, r.Want)
			}
		}
	})
}

// TestRandomDelays: nor if ranks wait for each other in another order.
func TestRandomDelays(t *testing.T) {
	apptest.Delayed(t, func(t *testing.T, seed uint64, on fagus.Config) {
		cfg := configs()[1]
		cfg.Iterations = 5
		if r := run(t, on, cfg); r.Error != 0 {
			t.Errorf("seed %d: %d nodes, %v mode: result %g, want %g", seed, on.Nodes, on.Mode, r.Got, r.Want)
		}
	})
}

// TestSpoiled: a wrong number is found, whoever has it.
func TestSpoiled(t *testing.T) {
	for _, cfg := range configs() {
		cfg.Iterations, cfg.Spoil = 2, true
		for nodes := 1; nodes <= 4; nodes++ {
			if r := run(t, fagus.Config{Nodes: nodes}, cfg); r.Error <= prk.Epsilon {
				t.Errorf("%d nodes, %+v: result %g passes for %g", nodes, cfg, r.Got, r.Want)
			}
		}
	}
}

// TestValidate: what cannot be is told.
func TestValidate(t *testing.T) {
	one := prk.Loop{Iterations: 1}
	for what, cfg := range map[string]transpose.Config{"no matrix": {Loop: one}, "no iterations": {N: 5}} {
		if cfg.Validate() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
