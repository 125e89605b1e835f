package prk_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestTimed checks that one iteration is untimed, and that only rank 0 reports progress.
func TestTimed(t *testing.T) {
	reported := 0
	loop := prk.Loop{Iterations: 3}
	loop.Progress = func(iterations int) { reported += iterations }
	times := apptest.Run(t, fagus.Config{Nodes: 2, Net: apptest.Simulated(t, sim.Config{})}, "loop", func(n *fagus.Node) (fagus.Time, error) {
		return loop.Timed(n, func(times int) error {
			for range times {
				n.Spend(fagus.Millisecond)
				loop.AdvanceTogether(n, 1)
			}
			return nil
		})
	})
	if reported != loop.Total() {
		t.Errorf("progress reports %d iterations, want %d", reported, loop.Total())
	}
	for rank, took := range times {
		// Ranks compute for different times, but all wait for the slowest.
		if took < 3*fagus.Millisecond || took > 31*fagus.Millisecond/10 {
			t.Errorf("rank %d: 3 iterations of 1 ms took %v", rank, took)
		}
	}
}

// TestRate checks the rate in millions per second.
func TestRate(t *testing.T) {
	r := prk.Result{Work: 1e6, Made: 5, Time: fagus.Second / 2}
	if got := r.Rate(); got != 10 {
		t.Errorf("5 million in half a second: %g million/s, want 10", got)
	}
	if got := (&prk.Result{Work: 1}).Rate(); got != 0 {
		t.Errorf("rate without a time: %g, want 0", got)
	}
}
