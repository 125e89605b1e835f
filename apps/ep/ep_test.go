package ep_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/ep"
	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestPlain: the program without Fagus has the same bits.
func TestPlain(t *testing.T) { apptest.Benchmark(ep.Run).SamePlain(t, ep.Plain, 2) }

// TestVerified: class S passes, and a wrong number does not.
func TestVerified(t *testing.T) {
	for _, spoil := range []bool{false, true} {
		r := apptest.Run(t, fagus.Config{Nodes: 2}, "class S", func(n *fagus.Node) (verify.Result, error) {
			return ep.Run(n, npb.Config{Class: npb.S, Spoil: spoil})
		})[0]
		if ok := r.Excess() <= 1; ok == spoil {
			t.Errorf("spoiled %v, verified %v: %v", spoil, ok, r.Checks)
		}
	}
}
