package water_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/apps/water"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestEverywhere checks that runs pass, with the bits of the program without Fagus, with every
// binding, and with fewer molecules than ranks.
func TestEverywhere(t *testing.T) {
	longtest.Third(t)
	for _, cfg := range []water.Config{
		{Molecules: 13, Steps: 2, Bind: water.Block},
		{Molecules: 13, Steps: 2, Bind: water.Molecule},
		{Molecules: 6, Steps: 1, Bind: water.Lock},
		{Molecules: 2, Steps: 1, Bind: water.Block},
	} {
		cfg.Seed = 2
		want := water.Plain(cfg, apptest.Timer)
		apptest.Everywhere(t, func(on fagus.Config) { apptest.Same(t, water.Run, on, cfg, want) })
	}
}

// TestDelayed checks that the result does not depend on the order in which ranks add forces.
func TestDelayed(t *testing.T) {
	cfg := water.Config{Molecules: 14, Steps: 4, Seed: 3}
	want := water.Plain(cfg, apptest.Timer)
	apptest.Delayed(t, func(t *testing.T, seed uint64, on fagus.Config) {
		cfg := cfg
		cfg.Bind = water.Binding(seed % 3)
		apptest.Same(t, water.Run, on, cfg, want)
	})
}

// TestSpoiled checks that verification finds even the smallest force without a reaction.
func TestSpoiled(t *testing.T) {
	cfg := water.Config{Molecules: 9, Steps: 2, Options: verify.Options{Spoil: true}}
	apptest.Spoiled(t, water.Run, water.Plain, cfg)
}

// TestProgress checks that every step is reported once.
func TestProgress(t *testing.T) {
	apptest.Progress(t, water.Run, water.Plain, 3, func(o verify.Options) water.Config { return water.Config{Molecules: 5, Steps: 3, Options: o} })
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
			t.Errorf("%+v: Validate: error %v, want valid %v", c.cfg, err, c.ok)
		}
	}
	for _, b := range []water.Binding{water.Block, water.Molecule, water.Lock} {
		if got, err := water.ParseBinding(b.String()); got != b || err != nil {
			t.Errorf("the name of binding %v is parsed as %v, error %v", b, got, err)
		}
	}
	if _, err := water.ParseBinding("atom"); err == nil {
		t.Error("atom: no error")
	}
}
