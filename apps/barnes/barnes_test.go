package barnes_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/barnes"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

func run(t *testing.T, on fagus.Config, cfg barnes.Config) verify.Result {
	t.Helper()
	return apptest.Run(t, on, fmt.Sprintf("%+v", cfg), func(n *fagus.Node) (verify.Result, error) { return barnes.Run(n, cfg) })[0]
}

func plain(cfg barnes.Config) verify.Result { return barnes.Plain(cfg, apptest.Timer) }

func same(t *testing.T, on fagus.Config, cfg barnes.Config, want verify.Result) {
	t.Helper()
	apptest.Same(t, on, fmt.Sprintf("%+v", cfg), want, func(n *fagus.Node) (verify.Result, error) { return barnes.Run(n, cfg) })
}

// TestEverywhere: verified, with the bits of the program without Fagus.
func TestEverywhere(t *testing.T) {
	for _, bodies := range []int{100, 151} {
		cfg := barnes.Config{Bodies: bodies, Steps: 3, Theta: 0.5, Seed: 2}
		want := plain(cfg)
		apptest.Everywhere(t, func(on fagus.Config) { same(t, on, cfg, want) })
	}
}

// TestDelayed: ranks that overtake each other change nothing.
func TestDelayed(t *testing.T) {
	cfg := barnes.Config{Bodies: 100, Steps: 4, Theta: 0.5, Seed: 3}
	want := plain(cfg)
	apptest.Delayed(t, func(t *testing.T, seed uint64, on fagus.Config) { same(t, on, cfg, want) })
}

// TestThetas: verified from direct sums to the widest cells.
func TestThetas(t *testing.T) {
	for seed := range uint64(3) {
		for _, theta := range []float64{0, 0.1, 0.3, 0.57} {
			for _, bodies := range []int{100, 500} {
				cfg := barnes.Config{Bodies: bodies, Steps: 3, Theta: theta, Seed: seed}
				if r := plain(cfg); r.Excess() > 1 {
					t.Errorf("%+v: %v", cfg, r.Checks)
				}
			}
		}
	}
}

// TestSpoiled: a wrong acceleration is found.
func TestSpoiled(t *testing.T) {
	for _, bodies := range []int{100, 700} {
		cfg := barnes.Config{Bodies: bodies, Steps: 2, Theta: 0.5, Spoil: true}
		if r := plain(cfg); r.Excess() <= 1 {
			t.Errorf("%d bodies, plain: %v", bodies, r.Checks)
		}
		for nodes := 1; nodes <= 4; nodes++ {
			if r := run(t, fagus.Config{Nodes: nodes}, cfg); r.Excess() <= 1 {
				t.Errorf("%d bodies, %d nodes: %v", bodies, nodes, r.Checks)
			}
		}
	}
}

// TestProgress: a call a step.
func TestProgress(t *testing.T) {
	steps := 0
	cfg := barnes.Config{Bodies: 120, Steps: 3, Theta: 0.5, Progress: func(n int) { steps += n }}
	run(t, fagus.Config{Nodes: 2}, cfg)
	plain(cfg)
	if steps != 6 {
		t.Errorf("%d steps, want 6", steps)
	}
}

func TestConfigIsValidated(t *testing.T) {
	for _, c := range []struct {
		cfg barnes.Config
		ok  bool
	}{
		{barnes.Config{Bodies: 100, Steps: 1}, true},
		{barnes.Config{Bodies: 99, Steps: 1}, false},
		{barnes.Config{Bodies: 1<<20 + 1, Steps: 1}, false},
		{barnes.Config{Bodies: 100}, false},
		{barnes.Config{Bodies: 100, Steps: 1<<16 + 1}, false},
		{barnes.Config{Bodies: 100, Steps: 1, Theta: -0.1}, false},
		{barnes.Config{Bodies: 100, Steps: 1, Theta: 0.58}, false},
		{barnes.Config{Bodies: 100, Steps: 1, Theta: math.NaN()}, false},
	} {
		if err := c.cfg.Validate(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.cfg, err)
		}
	}
}
