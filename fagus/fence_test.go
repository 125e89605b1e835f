package fagus_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestFencePhases: ranks in step take as many phases with a Fence in every round as without. A
// second Fence in a row takes one.
func TestFencePhases(t *testing.T) {
	const rounds = 10
	phases := func(fences int) uint64 {
		report, err := runFor(t, fagus.Config{Nodes: 3, Net: goroutines()}, func(n *fagus.Node) error {
			a, err := fagus.NewArray[int64](n, "a", n.Nodes())
			if err != nil {
				return err
			}
			var guards []*fagus.SyncVar
			for rank := range n.Nodes() {
				v, err := n.Bind(fmt.Sprint("a", rank), a.Range(rank, rank+1))
				if err != nil {
					return err
				}
				guards = append(guards, v)
			}
			for round := range int64(rounds) {
				for range fences {
					if err := n.Fence(); err != nil {
						return err
					}
				}
				writer := guards[(n.Rank()+int(round))%n.Nodes()] // each round another
				if err := during(n, nil, fagus.Want(writer, fagus.Exclusive)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return report.Ranks[0].Phases
	}
	without := phases(0)
	if with := phases(1); with != without {
		t.Errorf("%d phases with a Fence in every round, want %d as without", with, without)
	}
	if twice := phases(2); twice != without+rounds {
		t.Errorf("%d phases with two Fences in every round, want %d", twice, without+rounds)
	}
}

// TestLateFence: a rank waits in the second of two Fences in a row, and the report says for whom.
func TestLateFence(t *testing.T) {
	r := succeed(t, fagus.Config{Nodes: 2, Net: newSim(t, sim.Config{Env: "fagus2"})}, func(n *fagus.Node) error {
		if n.Rank() == 1 {
			n.Spend(5 * fagus.Millisecond)
		}
		return errors.Join(n.Fence(), n.Fence())
	})
	if len(r.Late) == 0 || r.Late[0].Rank != 0 || r.Late[0].For != 1 || r.Late[0].Time/fagus.Millisecond != 5 {
		t.Errorf("the late ranks are %v, want first rank 1, for which rank 0 has waited 5 ms", r.Late)
	}
}

// TestFenceInARow: two Fences in a row are two, also if another rank has a call between them.
func TestFenceInARow(t *testing.T) {
	for name, cfg := range everyRuntime(t, 1) {
		cfg.Nodes = 2
		_, err := runFor(t, cfg, func(n *fagus.Node) error {
			a, v, err := guarded[int64](n, 1)
			if err != nil {
				return err
			}
			for round := int64(1); round <= 20; round++ {
				if err := n.Fence(); err != nil {
					return err
				}
				if n.Rank() == 0 {
					if err := during(n, func() { a.Slice()[0] = round }, fagus.Want(v, fagus.Exclusive)); err != nil {
						return err
					}
				}
				if err := n.Fence(); err != nil {
					return err
				}
				var got int64
				if err := during(n, func() { got = a.Slice()[0] }, fagus.Want(v, fagus.Shared)); err != nil {
					return err
				}
				if got != round {
					t.Errorf("%s: rank %d reads %d in round %d", name, n.Rank(), got, round)
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
