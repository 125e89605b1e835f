package region_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// mixes adds to each element of y a sum of all elements of x. Ranks have blocks of y.
func mixes(n *fagus.Node, y, x []int) error {
	p := region.Open(n, "mixes")
	region.In(p, "y", &y)
	region.In(p, "x", &x)
	var steps struct{ step int }
	if !region.Known(p, &steps) {
		p.Begin("y", "x")
		steps.step = p.Step()
		p.Block(steps.step, 0, len(y), 1, 0, len(y))
		for rank := range p.Nodes() {
			part := p.Iterations(steps.step, rank)
			p.Reads(steps.step, rank, 1).Add(0, len(x))
			p.Reads(steps.step, rank, 0).Add(part.First, part.End)
			p.Writes(steps.step, rank, 0).Add(part.First, part.End)
		}
	}
	if err := p.Share("y"); err != nil {
		return err
	}
	if err := p.Enter(steps.step); err != nil {
		return err
	}
	part := p.Mine(steps.step)
	mixed(y, x, part.First, part.End)
	if err := p.Leave(steps.step); err != nil {
		return err
	}
	return p.Finish()
}

func mixed(y, x []int, lo, hi int) {
	for i := lo; i < hi; i++ {
		for k, v := range x {
			y[i] += (i + k) % 7 * v
		}
	}
}

// either does the same to the elements of resident arrays, or of slices if n is nil.
func either(n *fagus.Node, r *rand.Rand, x, y []int) (err error) {
	if r.IntN(2) == 0 {
		x, y = y, x
	}
	switch which := r.IntN(4); {
	case which < 2 && n != nil:
		err = mixes(n, y, x)
	case which < 2:
		mixed(y, x, 0, len(y))
	case which == 2:
		cyclic := r.IntN(3) == 0
		if n != nil {
			return triples(n, x, cyclic, false)
		}
		for i := range x {
			x[i] = 3*x[i] + i
		}
	case n != nil:
		err = smooths(n, y, x)
	default:
		for i := 1; i < len(x)-1; i++ {
			y[i] = x[i-1] + x[i] + x[i+1]
		}
	}
	return err
}

// TestRelay: on many nodes, what all ranks read of each other goes in two hops. Random sequences of
// calls, some of which do that, have the results of one rank.
func TestRelay(t *testing.T) {
	seeds := longtest.Cases[uint64](100, 10)
	if testing.Short() {
		seeds = 2 // the race detector finds nothing where one rank runs at a time
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		nodes, length, steps := 16+r.IntN(12), 10+r.IntN(60), 5+r.IntN(30)
		net, err := sim.New(sim.Config{})
		if err != nil {
			t.Fatal(err)
		}
		x, y := make([]int, length), make([]int, length)
		for i := range x {
			x[i], y[i] = r.IntN(100), r.IntN(100)
		}
		startX, startY := slices.Clone(x), slices.Clone(y)
		each := rand.New(rand.NewPCG(seed, 2))
		for range steps {
			_ = either(nil, each, x, y) // slices cannot fail
		}
		if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Net: net}, func(n *fagus.Node) error {
			if !n.Folds() {
				return fmt.Errorf("%d ranks do not fold: nothing is relayed", nodes)
			}
			a, err := region.Place(n, "a", startX)
			if err != nil {
				return err
			}
			b, err := region.Place(n, "b", startY)
			if err != nil {
				return err
			}
			each := rand.New(rand.NewPCG(seed, 2))
			for range steps {
				if err := either(n, each, a.Slice(), b.Slice()); err != nil {
					return err
				}
			}
			to := steps % nodes
			gotX, gotY := make([]int, length), make([]int, length)
			if err := a.Fetch(gotX, 0, to); err != nil {
				return err
			}
			if err := b.Fetch(gotY, to); err != nil {
				return err
			}
			if (n.Rank() == 0 || n.Rank() == to) && !slices.Equal(gotX, x) || n.Rank() == to && !slices.Equal(gotY, y) {
				return fmt.Errorf("%v and %v, want %v and %v", gotX, gotY, x, y)
			}
			return nil
		}); err != nil {
			t.Errorf("seed %d, %d nodes, %d elements, %d steps: %v", seed, nodes, length, steps, err)
		}
	}
}

// TestRelayCosts: two hops need fewer messages than each rank needs to fetch from each.
func TestRelayCosts(t *testing.T) {
	const nodes, rounds = 16, 10
	net, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Net: net}, func(n *fagus.Node) error {
		x, err := region.New[int](n, "x", 160)
		if err != nil {
			return err
		}
		y, err := region.New[int](n, "y", 160)
		for range rounds {
			if err == nil {
				err = triples(n, x.Slice(), false, false)
			}
			if err == nil {
				err = mixes(n, y.Slice(), x.Slice())
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	messages := uint64(0)
	for i := range report.Ranks {
		m := report.Ranks[i].Messages()
		messages += m.Stores + m.Writes + m.Pushes + m.Pulls
	}
	if each := messages / rounds; each > 600 {
		t.Errorf("%d messages a round, the first ones included, want at most 600", each)
	}
}
