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

// smooths writes to y the sums of each element of x and its neighbours. Ranks have blocks.
func smooths(n *fagus.Node, y, x []int) error {
	p := region.Open(n, "smooths")
	region.In(p, "y", &y)
	region.In(p, "x", &x)
	var steps struct{ step int }
	if !region.Known(p, &steps) {
		p.Begin("y", "x")
		steps.step = p.Step()
		p.Block(steps.step, 1, len(x)-1, 1, 1, len(x)-1)
		for rank := range p.Nodes() {
			if part := p.Iterations(steps.step, rank); part.Count() > 0 {
				p.Reads(steps.step, rank, 1).Add(part.First-1, part.End+1)
				p.Overwrites(steps.step, rank, 0).Add(part.First, part.End)
			}
		}
	}
	if err := p.Share("y"); err != nil {
		return err
	}
	if err := p.Enter(steps.step); err != nil {
		return err
	}
	part := p.Mine(steps.step)
	for i := part.First; i < part.End; i += part.By {
		y[i] = x[i-1] + x[i] + x[i+1]
	}
	if err := p.Leave(steps.step); err != nil {
		return err
	}
	return p.Finish()
}

// TestDividedInPlace: when a call divides variables because others need parts of what ranks have,
// the rest stays where it is.
func TestDividedInPlace(t *testing.T) {
	const nodes, length = 16, 1 << 13
	net, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	got, want := make([]int, length), make([]int, length)
	moved := make([]uint64, nodes)
	if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Net: net}, func(n *fagus.Node) error {
		x, err := region.New[int](n, "x", length)
		if err != nil {
			return err
		}
		y, err := region.New[int](n, "y", length)
		if err != nil {
			return err
		}
		if err := triples(n, x.Slice(), false, false); err != nil {
			return err
		}
		for range 2 {
			if err := smooths(n, y.Slice(), x.Slice()); err != nil {
				return err
			}
			if err := smooths(n, x.Slice(), y.Slice()); err != nil {
				return err
			}
		}
		s := n.Stats()
		moved[n.Rank()] = s.Messages().Bytes
		return x.Fetch(got)
	}); err != nil {
		t.Fatal(err)
	}
	y := make([]int, length)
	for i := range want {
		want[i] = i
	}
	for range 2 {
		for i := 1; i < length-1; i++ {
			y[i] = want[i-1] + want[i] + want[i+1]
		}
		for i := 1; i < length-1; i++ {
			want[i] = y[i-1] + y[i] + y[i+1]
		}
	}
	if !slices.Equal(got, want) {
		t.Error("the elements differ from those of one rank alone")
	}
	bytes := uint64(0)
	for _, m := range moved {
		bytes += m
	}
	if bytes > 8*length {
		t.Errorf("four calls that exchange single elements move %d bytes, want fewer than the %d of an array", bytes, 8*length)
	}
}
