package stencil_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/prk"
	"github.com/fagus-dsm/fagus/apps/stencil"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

func kernel(n *fagus.Node, size int, l prk.Loop) (prk.Result, error) {
	cfg := configs()[size]
	cfg.Loop = l
	return stencil.Run(n, cfg)
}

func plain(size int, l prk.Loop, timed verify.Timer) prk.Result {
	cfg := configs()[size]
	cfg.Loop = l
	return stencil.Plain(cfg, timed)
}

func configs() []stencil.Config {
	return []stencil.Config{{N: 5, Radius: 2}, {N: 37, Radius: 2}, {N: 20, Radius: 3}, {N: 4, Radius: 1}}
}

// TestEverywhere: the closed form comes out, and with the same bits.
func TestEverywhere(t *testing.T) {
	var want [4]float64 // by configuration
	loop := prk.Loop{Iterations: 4}
	for i := range configs() {
		want[i] = apptest.Kernel(kernel).Run(t, fagus.Config{Nodes: 1}, i, loop).Got
	}
	apptest.Everywhere(t, func(on fagus.Config) {
		for i, cfg := range configs() {
			if r := apptest.Kernel(kernel).Run(t, on, i, loop); r.Error > prk.Epsilon || r.Got != want[i] {
				t.Errorf("%d nodes, %v mode, %+v: result %v, want %g, and %v as on 1 node", on.Nodes, on.Mode, cfg, r.Got, r.Want, want[i])
			}
		}
	})
}

// TestRandomDelays: nor if ranks wait for each other in another order.
func TestRandomDelays(t *testing.T) { apptest.Kernel(kernel).Delayed(t, 1) }

// TestSpoiled: a wrong number is found, whoever has it.
func TestSpoiled(t *testing.T) { apptest.Kernel(kernel).Spoiled(t, len(configs())) }

// TestPlain: the program without Fagus has the same bits.
func TestPlain(t *testing.T) { apptest.Kernel(kernel).SamePlain(t, plain, len(configs())) }

// TestValidate: what cannot be is told.
func TestValidate(t *testing.T) {
	one := prk.Loop{Iterations: 1}
	for what, cfg := range map[string]stencil.Config{"a small grid": {N: 4, Radius: 2, Loop: one}, "no radius": {N: 4, Loop: one}, "no iterations": {N: 5, Radius: 2}} {
		if cfg.Validate() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
