package ft_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/ft"
)

// TestVerified: class S passes in both modes, with the same bits on 1 to 4 nodes.
func TestVerified(t *testing.T) { apptest.Benchmark(ft.Run).SameBits(t) }

// TestGuarded: it counts on no placement, and touches nothing that it does not hold.
func TestGuarded(t *testing.T) { apptest.Benchmark(ft.Run).Guarded(t, 3) }

// TestPlain: the program without Fagus has the same bits.
func TestPlain(t *testing.T) { apptest.Benchmark(ft.Run).SamePlain(t, ft.Plain, 2) }

// TestSpoiled: a wrong factor is found.
func TestSpoiled(t *testing.T) {
	for _, nodes := range []int{3, 65} { // the last of 65 has no rows
		apptest.Benchmark(ft.Run).Spoiled(t, nodes)
	}
}
