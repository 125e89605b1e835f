package lu_test

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/lu"
	"github.com/fagus-dsm/fagus/fagus"
)

func run(t *testing.T, on fagus.Config, cfg lu.Config) lu.Result {
	t.Helper()
	return apptest.Run(t, on, fmt.Sprintf("%+v", cfg), func(n *fagus.Node) (lu.Result, error) { return lu.Run(n, cfg) })[0]
}

func plain(t *testing.T, cfg lu.Config) lu.Result {
	t.Helper()
	r, err := lu.Plain(cfg, apptest.Timer)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSameBitsEverywhere: and without Fagus, also with fewer blocks than ranks, and with a last block that is narrower.
func TestSameBitsEverywhere(t *testing.T) {
	sizes := []lu.Config{{N: 1, Block: 4, Seed: 1}, {N: 30, Block: 20, Seed: 1}, {N: 101, Block: 9, Seed: 1}}
	var want []uint64
	for _, cfg := range sizes {
		r := plain(t, cfg)
		if !(r.Error <= lu.Limit) {
			t.Errorf("%+v, without Fagus: error %g", cfg, r.Error)
		}
		want = append(want, r.Bits)
	}
	apptest.Everywhere(t, func(on fagus.Config) {
		for i, cfg := range sizes {
			r := run(t, on, cfg)
			if !(r.Error <= lu.Limit) || r.Bits != want[i] {
				t.Errorf("%d nodes, %v mode, %+v: error %g, bits %x, want %x", on.Nodes, on.Mode, cfg, r.Error, r.Bits, want[i])
			}
		}
	})
}

// TestSpoiled: a wrong number is found.
func TestSpoiled(t *testing.T) {
	for nodes := 1; nodes <= 4; nodes++ {
		for _, n := range []int{1, 30, 100} {
			cfg := lu.Config{N: n, Block: 16, Seed: 1, Spoil: true}
			if r := run(t, fagus.Config{Nodes: nodes}, cfg); r.Error <= lu.Limit {
				t.Errorf("%d nodes, n %d: the error is %g", nodes, n, r.Error)
			}
			if r := plain(t, cfg); r.Error <= lu.Limit {
				t.Errorf("without Fagus, n %d: the error is %g", n, r.Error)
			}
		}
	}
}

func TestConfigIsValidated(t *testing.T) {
	for _, c := range []struct {
		n, block int
		ok       bool
	}{{0, 0, false}, {1, 0, false}, {0, 1, false}, {1, 1, true}, {1, 257, false}, {1<<14 + 1, 1, false}} {
		cfg := lu.Config{N: c.n, Block: c.block}
		if err := cfg.Validate(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
