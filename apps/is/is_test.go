package is_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/is"
)

// TestVerified: class S passes in both modes, with the same bits on 1 to 4 nodes.
func TestVerified(t *testing.T) { apptest.Benchmark(is.Run).SameBits(t) }

// TestGuarded: it counts on no placement, and touches nothing that it does not hold.
func TestGuarded(t *testing.T) { apptest.Benchmark(is.Run).Guarded(t, 3) }

// TestPlain: the program without Fagus has the same bits.
func TestPlain(t *testing.T) { apptest.Benchmark(is.Run).SamePlain(t, is.Plain, 2) }

// TestSpoiled: a wrong number is found, whoever has it.
func TestSpoiled(t *testing.T) {
	for nodes := 1; nodes <= 4; nodes++ {
		apptest.Benchmark(is.Run).Spoiled(t, nodes)
	}
}
