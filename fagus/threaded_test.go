package fagus_test

import (
	"context"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/fagus"
)

// runThreaded runs a program in threaded mode on goroutines, for a bounded time.
func runThreaded(t *testing.T, nodes int, cfg inproc.Config, program func(*fagus.Node) error) (fagus.Report, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return fagus.Run(ctx, fagus.Config{Nodes: nodes, Net: inproc.New(cfg), Mode: fagus.Threaded}, program)
}

// TestThreadedCounter lets every rank add to one number, unequally often, and
// compares what all see in the end.
func TestThreadedCounter(t *testing.T) {
	for nodes := 1; nodes <= 5; nodes++ {
		want := int64(0)
		for r := range nodes {
			want += 10 * int64(r+1)
		}
		_, err := runThreaded(t, nodes, inproc.Config{}, func(n *fagus.Node) error {
			a, err := fagus.NewArray[int64](n, "a", 1)
			if err != nil {
				return err
			}
			v, err := n.Bind("v", a.All())
			if err != nil {
				return err
			}
			set := n.Set(fagus.Want(v, fagus.Exclusive))
			for range 10 * (n.Rank() + 1) {
				if err := n.Acquire(set); err != nil {
					return err
				}
				a.Slice()[0]++
				if err := n.Release(set); err != nil {
					return err
				}
			}
			if err := n.Update(); err != nil {
				return err
			}
			if got := a.Slice()[0]; got != want {
				t.Errorf("%d nodes: rank %d sees %d, want %d", nodes, n.Rank(), got, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestThreadedRandomPrograms runs the random programs of the phase engine, whose
// oracle knows what the last holder has left.
func TestThreadedRandomPrograms(t *testing.T) {
	seeds := uint64(100)
	if testing.Short() {
		seeds = 20
	}
	for seed := range seeds {
		nodes := 1 + int(seed%6)
		for _, cfg := range []inproc.Config{{}, {LLCM: 8 + 400*nodes}} { // the second has the smallest slots
			if _, err := runThreaded(t, nodes, cfg, newOracle(seed).program(seed)); err != nil {
				t.Fatalf("seed %d, %d nodes, %d bytes of LLCM: %v", seed, nodes, cfg.LLCM, err)
			}
		}
	}
}
