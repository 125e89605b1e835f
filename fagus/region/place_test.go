package region_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// TestPlace: what rank 0 has placed takes no phase until another rank needs it, and is right then,
// also in memory that another array has used.
func TestPlace(t *testing.T) {
	for _, cfg := range []fagus.Config{{}, {Placement: fagus.PlacePrivate}, {Placement: fagus.PlaceShared}, {Mode: fagus.Threaded}, {Check: fagus.CheckStrict}} {
		// Ranks that compute in place meet after each step.
		counts := cfg.Placement == fagus.PlacePrivate || cfg.Placement == fagus.PlaceShared
		for cfg.Nodes = 1; cfg.Nodes <= 4; cfg.Nodes++ {
			_, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
				for round := range 2 {
					if err := places(n, round, nil); err != nil {
						return err
					}
				}
				if phases := n.Stats().Phases; phases > 0 && counts {
					return fmt.Errorf("%d phases: want none before a rank needs what rank 0 has placed", phases)
				}
				return nil
			})
			if err == nil {
				_, err = fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
					for round := range 4 {
						if err := places(n, round, func(x []int) error { return triples(n, x, round%2 == 1, false) }); err != nil {
							return err
						}
					}
					return nil
				})
			}
			if err != nil {
				t.Errorf("%d nodes, %v mode, %v, check %v: %v", cfg.Nodes, cfg.Mode, cfg.Placement, cfg.Check, err)
			}
		}
	}
}

// places places an array, which triple multiplies by 3 if it is not nil, and fetches it to rank 0,
// and after triple to the last rank.
func places(n *fagus.Node, round int, triple func(x []int) error) error {
	const length = 100
	from, want, got := make([]int, length), make([]int, length), make([]int, length)
	for i := range want {
		want[i] = 10*i + round
	}
	if n.Rank() == 0 {
		copy(from, want)
	}
	x, err := region.Place(n, "x", from)
	if err != nil {
		return err
	}
	ranks := []int{0}
	if triple != nil {
		if err := triple(x.Slice()); err != nil {
			return err
		}
		for i := range want {
			want[i] = 3*want[i] + i
		}
		ranks = append(ranks, n.Nodes()-1)
	}
	if err := x.Fetch(got, ranks...); err != nil {
		return err
	}
	if slices.Contains(ranks, n.Rank()) && !slices.Equal(got, want) {
		return fmt.Errorf("round %d: rank %d has %v, want %v", round, n.Rank(), got, want)
	}
	if triple == nil {
		return nil // the array stays
	}
	return x.Free()
}

// TestFetchMovesOnce: where many ranks have parts of an array, Fetch moves each part once, straight
// to the rank that wants it.
func TestFetchMovesOnce(t *testing.T) {
	const nodes, length = 16, 1 << 13
	net, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Net: net}, func(n *fagus.Node) error {
		x, err := region.New[int](n, "x", length)
		if err != nil {
			return err
		}
		if err := triples(n, x.Slice(), false, false); err != nil {
			return err
		}
		return x.Fetch(make([]int, length))
	})
	if err != nil {
		t.Fatal(err)
	}
	var bytes uint64
	for i := range report.Ranks {
		bytes += report.Ranks[i].Messages().Bytes
	}
	if most := uint64(8*length) * 3 / 2; bytes > most {
		t.Errorf("Fetch of %d bytes moves %d, want at most %d", 8*length, bytes, most)
	}
}
