package fagus_test

import (
	"context"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestMeasure checks that Stats.Measured has the times of the measured sections, and no others.
func TestMeasure(t *testing.T) {
	net, err := sim.New(sim.Config{Env: "fagus2"})
	if err != nil {
		t.Fatal(err)
	}
	report, err := fagus.Run(context.Background(), fagus.Config{Nodes: 2, Net: net}, func(n *fagus.Node) error {
		var took fagus.Time
		n.Spend(7 * fagus.Second)
		for range 2 {
			n.Spend(11 * fagus.Second)
			one, err := n.Measure(func() error {
				n.Spend(fagus.Time(1+2*n.Rank()) * fagus.Second)
				return n.Barrier()
			})
			if err != nil {
				return err
			}
			took += one
		}
		n.Spend(fagus.Time(13*(1+n.Rank())) * fagus.Second)
		if err := n.Barrier(); err != nil { // rank 0 waits 13 s, which does not count
			return err
		}
		s := n.Stats()
		sum := fagus.Time(0)
		for _, part := range s.Measured {
			sum += part
		}
		if sum != took {
			t.Errorf("rank %d: Measured adds up to %v, Measure returned %v", n.Rank(), sum, took)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for r, s := range report.Ranks {
		if s.Before != 18*fagus.Second {
			t.Errorf("rank %d worked for %v before the first section, want 18 s", r, s.Before)
		}
		if compute, want := s.Measured[fagus.PartCompute], fagus.Time(2*(1+2*r))*fagus.Second; compute != want {
			t.Errorf("rank %d computed for %v in the sections, want %v", r, compute, want)
		}
	}
	if late := report.Late; len(late) == 0 || late[0].Rank != 0 || late[0].For != 1 || late[0].Time > 4*fagus.Second+fagus.Millisecond {
		t.Errorf("the waits are %v, want rank 0 to wait 4 s for rank 1", late)
	}
	// Rank 0 waits 2 s for rank 1 in each section.
	if waited := report.Ranks[0].Measured[fagus.PartBarrier]; waited < 4*fagus.Second || waited > 4*fagus.Second+fagus.Millisecond {
		t.Errorf("rank 0 waited for %v in the sections, want 4 s and a little", waited)
	}
}
