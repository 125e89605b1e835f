package radix_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/apps/radix"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestEverywhere sorts, also with fewer keys than ranks and with blocks of different lengths.
func TestEverywhere(t *testing.T) {
	apptest.Everywhere(t, func(on fagus.Config) {
		for _, keys := range []int{2, 10_001} {
			if r := apptest.First(t, radix.Run, on, radix.Config{Keys: keys, Seed: 1}); r.Wrong != 0 {
				t.Errorf("%d nodes, %v mode, %d keys: %d are wrong", on.Nodes, on.Mode, keys, r.Wrong)
			}
		}
	})
}

// TestPlain sorts without Fagus, and checks that verification finds a planted error.
func TestPlain(t *testing.T) {
	for _, keys := range []int{1, 2, 10_001} {
		cfg := radix.Config{Keys: keys, Seed: 1}
		if r := radix.Plain(cfg, apptest.Timer); r.Wrong != 0 {
			t.Errorf("%d keys, without Fagus: %d are wrong", keys, r.Wrong)
		}
		cfg.Spoil = true
		if r := radix.Plain(cfg, apptest.Timer); r.Wrong == 0 {
			t.Errorf("%d keys, without Fagus: a planted error passes", keys)
		}
	}
}

// TestSpoiled checks that verification finds a wrong key, whichever rank has it.
func TestSpoiled(t *testing.T) {
	for nodes := 1; nodes <= 4; nodes++ {
		for _, keys := range []int{1, 3, 1000} {
			if r := apptest.First(t, radix.Run, fagus.Config{Nodes: nodes}, radix.Config{Keys: keys, Seed: 1, Options: verify.Options{Spoil: true}}); r.Wrong == 0 {
				t.Errorf("%d nodes, %d keys: a planted error passes", nodes, keys)
			}
		}
	}
}

func TestConfigIsValidated(t *testing.T) {
	for keys, ok := range map[int]bool{-1: false, 0: false, 1: true, 1 << 28: true, 1<<28 + 1: false} {
		c := radix.Config{Keys: keys}
		if err := c.Validate(); (err == nil) != ok {
			t.Errorf("%d keys: Validate: error %v, want valid %v", keys, err, ok)
		}
	}
}
