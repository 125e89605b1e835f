package is_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/apps/is"
	"github.com/fagus-dsm/fagus/fagus"
)

func benchmark() apptest.Benchmark {
	return apptest.Benchmark{Run: is.Run, Plain: is.Plain, Guarded: 3, Spoiled: []int{1, 2, 3, 4}}
}

func TestBenchmark(t *testing.T) { benchmark().Test(t) }

// TestMoves checks that on 2 nodes counts travel in each of the 11 iterations, and keys only once,
// for the final sort.
func TestMoves(t *testing.T) {
	const keys, values, iterations, word = 1 << 16, 1 << 11, 1 + 10, 4
	benchmark().Moves(t, 2, word*(iterations*values+keys/2), 20) // heads and the sizes of buckets
}

// TestKeysTravel checks 32 nodes, the least number on which the keys of class S travel.
func TestKeysTravel(t *testing.T) {
	on, cfg := fagus.Config{Nodes: 32}, npb.Config{Class: npb.S}
	apptest.Same(t, is.Run, on, cfg, is.Plain(cfg, apptest.Timer))
	cfg.Options = verify.Options{Spoil: true}
	if r := apptest.First(t, is.Run, on, cfg); r.Excess() <= 1 {
		t.Errorf("a planted error passes: %v", r.Checks)
	}
}
