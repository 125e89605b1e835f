package region_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// triples replaces every element by three times its value, plus its number. Ranks have blocks, or
// elements in turn; the step is alone, or may be repeated.
func triples(n *fagus.Node, x []int, cyclic, repeated bool) error {
	p := region.Open(n, fmt.Sprint("triples ", cyclic, repeated))
	region.In(p, "x", &x)
	var steps struct{ step int }
	if !region.Known(p, &steps) {
		p.Begin("x")
		if repeated {
			p.Repeat()
		}
		steps.step = p.Step()
		if cyclic {
			p.Cyclic(steps.step, 0, len(x), 1)
		} else {
			p.Block(steps.step, 0, len(x), 1, 0, len(x))
		}
		for rank := range p.Nodes() {
			part := p.Iterations(steps.step, rank)
			p.Reads(steps.step, rank, 0).Strided(part.First, 1, part.Count(), part.By)
			p.Overwrites(steps.step, rank, 0).Strided(part.First, 1, part.Count(), part.By)
		}
		if repeated {
			p.End()
		}
	}
	if err := p.Share("x"); err != nil {
		return err
	}
	if err := p.Enter(steps.step); err != nil {
		return err
	}
	part := p.Mine(steps.step)
	for i := part.First; i < part.End; i += part.By {
		x[i] = 3*x[i] + i
	}
	if err := p.Leave(steps.step); err != nil {
		return err
	}
	return p.Finish()
}

// TestUnsaved: what ranks have written without a phase is saved before others use it, before
// variables are rebound, and before steps that may be repeated.
func TestUnsaved(t *testing.T) {
	const length = 13
	for _, c := range []struct {
		name             string
		cyclic, repeated bool
	}{{"blocks", false, false}, {"repeated", false, true}, {"cyclic", true, false}, {"cyclic, repeated", true, true}} {
		for _, cfg := range []fagus.Config{{}, {Placement: fagus.PlacePrivate}, {Placement: fagus.PlaceShared}, {Mode: fagus.Threaded, Placement: fagus.PlacePrivate}, {Mode: fagus.Threaded, Placement: fagus.PlacePrivate, Helpers: true}} {
			cfg.Nodes = 3
			report, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
				x, err := region.New[int](n, "x", length)
				if err != nil {
					return err
				}
				want, got := make([]int, length), make([]int, length)
				for round := range 4 {
					for range 5 {
						if err := triples(n, x.Slice(), false, false); err != nil {
							return err
						}
					}
					if err := triples(n, x.Slice(), c.cyclic, c.repeated); err != nil {
						return err
					}
					for range 6 {
						for i := range want {
							want[i] = 3*want[i] + i
						}
					}
					if round%2 == 1 {
						if err := x.Fetch(got, 0, 1, 2); err != nil {
							return err
						}
						if !slices.Equal(got, want) {
							return fmt.Errorf("round %d: rank %d has %v, want %v", round, n.Rank(), got, want)
						}
					}
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s, %v mode, %v, helpers %v: %v", c.name, cfg.Mode, cfg.Placement, cfg.Helpers, err)
				continue
			}
			if phases := report.Ranks[0].Phases; cfg.Mode == fagus.Phase && cfg.Placement != fagus.PlaceAuto && phases > 30 {
				t.Errorf("%s, %v: %d phases: want no phase for calls that need no data of others", c.name, cfg.Placement, phases)
			}
		}
	}
}

// TestOwner: what one rank executes alone, it executes where the elements of a resident array are.
func TestOwner(t *testing.T) {
	if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 3, Placement: fagus.PlacePrivate}, func(n *fagus.Node) error {
		x, err := region.New[int](n, "x", 9)
		if err != nil {
			return err
		}
		owners := func() (all []int) {
			p := region.NewProgram(n)
			own := x.Slice()
			region.In(p, "x", &own)
			p.Begin()
			for i := range 9 {
				all = append(all, p.Owner(0, i))
			}
			return all
		}
		for _, want := range [][]int{{0, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 1, 1, 1, 2, 2, 2}, {0, 0, 0, 1, 1, 1, 2, 2, 2}} {
			if got := owners(); !slices.Equal(got, want) {
				t.Errorf("rank %d: owners %v, want %v", n.Rank(), got, want)
			}
			if err := triples(n, x.Slice(), false, false); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
