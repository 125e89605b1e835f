package cg_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/cg"
)

// TestVerified: class S passes in both modes, with the same bits on as many nodes.
func TestVerified(t *testing.T) { apptest.Benchmark(cg.Run).SameBitsEach(t) }

// TestGuarded: it counts on no placement, and touches nothing that it does not hold.
func TestGuarded(t *testing.T) { apptest.Benchmark(cg.Run).Guarded(t, 2) }

// TestPlain: the program without Fagus has the same bits as one node.
func TestPlain(t *testing.T) { apptest.Benchmark(cg.Run).SamePlain(t, cg.Plain, 1) }

// TestSpoiled: a wrong number is found, whoever has it.
func TestSpoiled(t *testing.T) {
	for nodes := 1; nodes <= 4; nodes++ {
		apptest.Benchmark(cg.Run).Spoiled(t, nodes)
	}
}
