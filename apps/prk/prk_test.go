package prk_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/prk"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestTimed: one iteration is not timed, and rank 0 alone tells of all.
func TestTimed(t *testing.T) {
	told := 0
	loop := prk.Loop{Iterations: 3, Progress: func(iterations int) { told += iterations }}
	times := apptest.Run(t, fagus.Config{Nodes: 2, Net: apptest.Simulated(t, sim.Config{})}, "loop", func(n *fagus.Node) (fagus.Time, error) {
		return loop.Timed(n, func(times int) error {
			for range times {
				n.Spend(fagus.Millisecond)
				loop.Advance(n)
			}
			return nil
		})
	})
	if told != loop.Total() {
		t.Errorf("told of %d iterations, want %d", told, loop.Total())
	}
	for rank, took := range times {
		if took < 3*fagus.Millisecond || took > 31*fagus.Millisecond/10 { // all meet in the end
			t.Errorf("rank %d: 3 iterations of 1 ms took %v", rank, took)
		}
	}
}

// TestRate: millions a second.
func TestRate(t *testing.T) {
	r := prk.Result{Work: 5e6, Time: fagus.Second / 2}
	if got := r.Rate(); got != 10 {
		t.Errorf("5 million in half a second are %g million/s", got)
	}
	if got := (&prk.Result{Work: 1}).Rate(); got != 0 {
		t.Errorf("a rate without a time is %g", got)
	}
}
