package lu_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/apps/lu"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestSameBitsEverywhere compares runs with the program without Fagus, also with fewer blocks
// than ranks and with a narrower last block.
func TestSameBitsEverywhere(t *testing.T) {
	sizes := []lu.Config{{N: 1, Block: 4, Seed: 1}, {N: 30, Block: 20, Seed: 1}, {N: 101, Block: 9, Seed: 1}}
	var want []uint64
	for _, cfg := range sizes {
		r := apptest.Plain(t, lu.Plain, cfg)
		if !(r.Error <= lu.Limit) {
			t.Errorf("%+v, without Fagus: backward error %g, want at most %d", cfg, r.Error, lu.Limit)
		}
		want = append(want, r.Bits)
	}
	apptest.Everywhere(t, func(on fagus.Config) {
		for i, cfg := range sizes {
			r := apptest.First(t, lu.Run, on, cfg)
			if !(r.Error <= lu.Limit) || r.Bits != want[i] {
				t.Errorf("%d nodes, %v mode, %+v: backward error %g, hash %x, want %x", on.Nodes, on.Mode, cfg, r.Error, r.Bits, want[i])
			}
		}
	})
}

// TestSpoiled checks that verification finds a planted error.
func TestSpoiled(t *testing.T) {
	for nodes := 1; nodes <= 4; nodes++ {
		for _, n := range []int{1, 30, 100} {
			cfg := lu.Config{N: n, Block: 16, Seed: 1, Options: verify.Options{Spoil: true}}
			if r := apptest.First(t, lu.Run, fagus.Config{Nodes: nodes}, cfg); r.Error <= lu.Limit {
				t.Errorf("%d nodes, n %d: a planted error passes with %g", nodes, n, r.Error)
			}
			if r := apptest.Plain(t, lu.Plain, cfg); r.Error <= lu.Limit {
				t.Errorf("without Fagus, n %d: a planted error passes with %g", n, r.Error)
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
			t.Errorf("%+v: Validate returns %v", c, err)
		}
	}
}
