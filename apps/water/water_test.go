package water_test

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/apps/water"
	"github.com/fagus-dsm/fagus/fagus"
)

func run(t *testing.T, on fagus.Config, cfg water.Config) verify.Result {
	t.Helper()
	return apptest.Run(t, on, fmt.Sprintf("%+v", cfg), func(n *fagus.Node) (verify.Result, error) { return water.Run(n, cfg) })[0]
}

func plain(cfg water.Config) verify.Result { return water.Plain(cfg, apptest.Timer) }

func same(t *testing.T, on fagus.Config, cfg water.Config, want verify.Result) {
	t.Helper()
	apptest.Same(t, on, fmt.Sprintf("%+v", cfg), want, func(n *fagus.Node) (verify.Result, error) { return water.Run(n, cfg) })
}

// TestEverywhere: verified, with the bits of the program without Fagus, however forces are bound, and also where there are
// fewer molecules than ranks.
func TestEverywhere(t *testing.T) {
	for _, cfg := range []water.Config{
		{Molecules: 13, Steps: 2, Bind: water.Block},
		{Molecules: 13, Steps: 2, Bind: water.Molecule},
		{Molecules: 6, Steps: 1, Bind: water.Lock},
		{Molecules: 2, Steps: 1, Bind: water.Block},
	} {
		cfg.Seed = 2
		want := plain(cfg)
		apptest.Everywhere(t, func(on fagus.Config) { same(t, on, cfg, want) })
	}
}

// TestDelayed: ranks that overtake each other change nothing.
func TestDelayed(t *testing.T) {
	cfg := water.Config{Molecules: 14, Steps: 4, Seed: 3}
	want := plain(cfg)
	apptest.Delayed(t, func(t *testing.T, seed uint64, on fagus.Config) {
		cfg := cfg
		cfg.Bind = water.Binding(seed % 3)
		same(t, on, cfg, want)
	})
}

// TestSpoiled: a force without a reaction is found, be it the smallest.
func TestSpoiled(t *testing.T) {
	cfg := water.Config{Molecules: 9, Steps: 2, Spoil: true}
	if r := plain(cfg); r.Excess() <= 1 {
		t.Errorf("plain: %v", r.Checks)
	}
	for nodes := 1; nodes <= 4; nodes++ {
		if r := run(t, fagus.Config{Nodes: nodes}, cfg); r.Excess() <= 1 {
			t.Errorf("%d nodes: %v", nodes, r.Checks)
		}
	}
}

// TestProgress: a call a step.
func TestProgress(t *testing.T) {
	steps := 0
	cfg := water.Config{Molecules: 5, Steps: 3, Progress: func(n int) { steps += n }}
	run(t, fagus.Config{Nodes: 2}, cfg)
	plain(cfg)
	if steps != 6 {
		t.Errorf("%d steps, want 6", steps)
	}
}

func TestConfigIsValidated(t *testing.T) {
	for _, c := range []struct {
		cfg water.Config
		ok  bool
	}{
		{water.Config{Molecules: 1, Steps: 1, Bind: water.Lock}, true},
		{water.Config{Molecules: 0, Steps: 1}, false},
		{water.Config{Molecules: 1<<15 + 1, Steps: 1}, false},
		{water.Config{Molecules: 1}, false},
		{water.Config{Molecules: 1, Steps: 1<<16 + 1}, false},
		{water.Config{Molecules: 1, Steps: 1, Bind: 3}, false},
	} {
		if err := c.cfg.Validate(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.cfg, err)
		}
	}
	for _, b := range []water.Binding{water.Block, water.Molecule, water.Lock} {
		if got, err := water.ParseBinding(b.String()); got != b || err != nil {
			t.Errorf("%v: parsed as %v, %v", b, got, err)
		}
	}
	if _, err := water.ParseBinding("atom"); err == nil {
		t.Error("atom: no error")
	}
}
