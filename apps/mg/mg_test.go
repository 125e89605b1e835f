package mg_test

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/mg"
	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestVerified: class S passes in both modes, with the same bits on 1 to 4 nodes.
func TestVerified(t *testing.T) { apptest.Benchmark(mg.Run).SameBits(t) }

// TestPlain: the program without Fagus has the same bits.
func TestPlain(t *testing.T) { apptest.Benchmark(mg.Run).SamePlain(t, mg.Plain, 2) }

// TestSpoiled: a wrong charge is found.
func TestSpoiled(t *testing.T) { apptest.Benchmark(mg.Run).Spoiled(t, 3) }

// TestTooMany: ranks that would have less than two planes each are refused.
func TestTooMany(t *testing.T) {
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 17}, func(n *fagus.Node) error {
		_, err := mg.Run(n, npb.Config{Class: npb.S})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "enough for 16 nodes") {
		t.Errorf("17 nodes: %v", err)
	}
}
