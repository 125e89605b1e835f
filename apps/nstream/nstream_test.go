package nstream_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/nstream"
	"github.com/fagus-dsm/fagus/apps/prk"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

func kernel(n *fagus.Node, size int, l prk.Loop) (prk.Result, error) {
	cfg := configs()[size]
	cfg.Loop = l
	return nstream.Run(n, cfg)
}

func plain(size int, l prk.Loop, timed verify.Timer) prk.Result {
	cfg := configs()[size]
	cfg.Loop = l
	return nstream.Plain(cfg, timed)
}

func configs() []nstream.Config {
	return []nstream.Config{{Length: 1}, {Length: 3}, {Length: 1001}}
}

// TestEverywhere: the closed form comes out, with no error at all.
func TestEverywhere(t *testing.T) { apptest.Kernel(kernel).Everywhere(t, len(configs())) }

// TestRandomDelays: nor if ranks wait for each other in another order.
func TestRandomDelays(t *testing.T) { apptest.Kernel(kernel).Delayed(t, 1) }

// TestSpoiled: a wrong number is found, whoever has it.
func TestSpoiled(t *testing.T) { apptest.Kernel(kernel).Spoiled(t, len(configs())) }

// TestPlain: the program without Fagus has the same bits.
func TestPlain(t *testing.T) { apptest.Kernel(kernel).SamePlain(t, plain, len(configs())) }

// TestValidate: what cannot be is told.
func TestValidate(t *testing.T) {
	one := prk.Loop{Iterations: 1}
	for what, cfg := range map[string]nstream.Config{"no vectors": {Loop: one}, "no iterations": {Length: 5}} {
		if cfg.Validate() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
