package barnes_test

import (
	"math"
	"testing"

	"github.com/fagus-dsm/fagus/apps/barnes"
	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestEverywhere checks that runs pass, with the bits of the program without Fagus.
func TestEverywhere(t *testing.T) {
	for _, bodies := range []int{100, 151} {
		cfg := barnes.Config{Bodies: bodies, Steps: 3, Theta: 0.5, Seed: 2}
		want := barnes.Plain(cfg, apptest.Timer)
		apptest.Everywhere(t, func(on fagus.Config) { apptest.Same(t, barnes.Run, on, cfg, want) })
	}
}

// TestDelayed checks that delays do not change the result.
func TestDelayed(t *testing.T) {
	cfg := barnes.Config{Bodies: 100, Steps: 4, Theta: 0.5, Seed: 3}
	want := barnes.Plain(cfg, apptest.Timer)
	apptest.Delayed(t, func(t *testing.T, seed uint64, on fagus.Config) { apptest.Same(t, barnes.Run, on, cfg, want) })
}

// TestThetas verifies runs from direct sums to the widest cells.
func TestThetas(t *testing.T) {
	for seed := range uint64(3) {
		for _, theta := range []float64{0, 0.1, 0.3, 0.57} {
			for _, bodies := range []int{100, 500} {
				cfg := barnes.Config{Bodies: bodies, Steps: 3, Theta: theta, Seed: seed}
				if r := barnes.Plain(cfg, apptest.Timer); r.Excess() > 1 {
					t.Errorf("%+v: verification fails: %v", cfg, r.Checks)
				}
			}
		}
	}
}

// TestSpoiled checks that verification finds a wrong acceleration.
func TestSpoiled(t *testing.T) {
	for _, bodies := range []int{100, 700} {
		cfg := barnes.Config{Bodies: bodies, Steps: 2, Theta: 0.5, Options: verify.Options{Spoil: true}}
		apptest.Spoiled(t, barnes.Run, barnes.Plain, cfg)
	}
}

// TestProgress checks that every step is reported once.
func TestProgress(t *testing.T) {
	apptest.Progress(t, barnes.Run, barnes.Plain, 3, func(o verify.Options) barnes.Config {
		return barnes.Config{Bodies: 120, Steps: 3, Theta: 0.5, Options: o}
	})
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
			t.Errorf("%+v: Validate: error %v, want valid %v", c.cfg, err, c.ok)
		}
	}
}
