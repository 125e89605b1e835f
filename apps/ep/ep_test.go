package ep_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/ep"
	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestPlain checks that the program without Fagus has the same bits.
func TestPlain(t *testing.T) { apptest.Benchmark{Run: ep.Run, Plain: ep.Plain}.SamePlain(t) }

// TestVerified checks that class S passes verification, and that a wrong number does not.
func TestVerified(t *testing.T) {
	for _, spoil := range []bool{false, true} {
		cfg := npb.Config{Class: npb.S, Options: verify.Options{Spoil: spoil}}
		r := apptest.First(t, ep.Run, fagus.Config{Nodes: 2}, cfg)
		if ok := r.Excess() <= 1; ok == spoil {
			t.Errorf("spoiled %v: verification passes: %v: %v", spoil, ok, r.Checks)
		}
	}
}
