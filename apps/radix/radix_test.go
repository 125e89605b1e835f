package radix_test

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/radix"
	"github.com/fagus-dsm/fagus/fagus"
)

func run(t *testing.T, on fagus.Config, cfg radix.Config) radix.Result {
	t.Helper()
	return apptest.Run(t, on, fmt.Sprintf("%+v", cfg), func(n *fagus.Node) (radix.Result, error) { return radix.Run(n, cfg) })[0]
}

// TestEverywhere: also with fewer keys than ranks, and with blocks that are not as long.
func TestEverywhere(t *testing.T) {
	apptest.Everywhere(t, func(on fagus.Config) {
		for _, keys := range []int{2, 10_001} {
			if r := run(t, on, radix.Config{Keys: keys, Seed: 1}); r.Wrong != 0 {
				t.Errorf("%d nodes, %v mode, %d keys: %d are wrong", on.Nodes, on.Mode, keys, r.Wrong)
			}
		}
	})
}

// TestPlain: without Fagus, too.
func TestPlain(t *testing.T) {
	for _, keys := range []int{1, 2, 10_001} {
		cfg := radix.Config{Keys: keys, Seed: 1}
		if r := radix.Plain(cfg, apptest.Timer); r.Wrong != 0 {
			t.Errorf("%d keys: %d are wrong", keys, r.Wrong)
		}
		cfg.Spoil = true
		if r := radix.Plain(cfg, apptest.Timer); r.Wrong == 0 {
			t.Errorf("%d keys: nothing is wrong", keys)
		}
	}
}

// TestSpoiled: a wrong key is found, wherever it is.
func TestSpoiled(t *testing.T) {
	for nodes := 1; nodes <= 4; nodes++ {
		for _, keys := range []int{1, 3, 1000} {
			if r := run(t, fagus.Config{Nodes: nodes}, radix.Config{Keys: keys, Seed: 1, Spoil: true}); r.Wrong == 0 {
				t.Errorf("%d nodes, %d keys: nothing is wrong", nodes, keys)
			}
		}
	}
}

func TestConfigIsValidated(t *testing.T) {
	for keys, ok := range map[int]bool{-1: false, 0: false, 1: true, 1 << 28: true, 1<<28 + 1: false} {
		c := radix.Config{Keys: keys}
		if err := c.Validate(); (err == nil) != ok {
			t.Errorf("%d keys: %v", keys, err)
		}
	}
}
