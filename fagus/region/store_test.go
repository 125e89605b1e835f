package region

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus"
)

// sum replaces x by sums of neighbours, several times. It has a local array, and halo elements. The
// plan depends on by, the length of the ranks' blocks.
func sum(n *fagus.Node, x []int64, times, by int) error {
	p := Open(n, "sum", "times", times, "by", by)
	In(p, "x", &x)
	y := Make[int64](p, "y", len(x))
	var steps struct{ add, back int }
	if !Known(p, &steps, by) {
		p.Begin("x")
		p.Repeat()
		steps.add, steps.back = p.Step(), p.Step()
		for rank := range p.Nodes() {
			lo, hi := min(rank*by, len(x)), min((rank+1)*by, len(x))
			if rank == p.Nodes()-1 {
				hi = len(x)
			}
			p.Reads(steps.add, rank, 0).Add(max(lo-1, 0), min(hi+1, len(x)))
			p.Overwrites(steps.add, rank, 1).Add(lo, hi)
			p.Reads(steps.back, rank, 1).Add(lo, hi)
			p.Overwrites(steps.back, rank, 0).Add(lo, hi)
		}
		p.End()
	}
	if err := p.Share("x"); err != nil {
		return err
	}
	lo, hi := min(n.Rank()*by, len(x)), min((n.Rank()+1)*by, len(x))
	if n.Rank() == n.Nodes()-1 {
		hi = len(x)
	}
	for range times {
		if err := p.Enter(steps.add); err != nil {
			return err
		}
		neighbours(y, x, lo, hi)
		if err := p.Leave(steps.add); err != nil {
			return err
		}
		if err := p.Enter(steps.back); err != nil {
			return err
		}
		copy(x[lo:hi], y[lo:hi])
		if err := p.Leave(steps.back); err != nil {
			return err
		}
	}
	return p.Finish()
}

func neighbours(y, x []int64, lo, hi int) {
	for i := lo; i < hi; i++ {
		y[i] = x[max(i-1, 0)] + x[i] + x[min(i+1, len(x)-1)]
	}
}

// used is what a node's store has taken from Fagus.
type used struct{ blocks, bytes, variables, arrays, plans int }

func usedBy(n *fagus.Node) (u used) {
	s := storeOf(n)
	for _, b := range s.blocks {
		u.bytes += b.array.Len()
	}
	if s.common != nil {
		s.common.mu.Lock()
		defer s.common.mu.Unlock()
		u.blocks = len(s.common.made) // by calls that some ranks have not begun
	}
	u.blocks, u.variables, u.arrays, u.plans = u.blocks+len(s.blocks), s.bound, n.Arrays(), len(s.plans)
	return u
}

// TestMemoryIsFlat: 10000 calls take the memory of the first few, also if their shapes change.
func TestMemoryIsFlat(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls int
		shape func(r *rand.Rand) (length, by int)
		most  used // if more than after the first 100 calls
	}{
		{"one shape", 10000, func(*rand.Rand) (int, int) { return 100, 40 }, used{}},
		{"three shapes", 1000, func(r *rand.Rand) (int, int) { return 100 + 50*r.IntN(3), 40 }, used{}},
		{"any division", longtest.Cases(3000, 400), func(r *rand.Rand) (int, int) { return 1000, 1 + r.IntN(500) }, used{variables: 2*mostAtoms + 100, arrays: 4, blocks: 2, bytes: 1 << 14}},
		{"any shape", longtest.Cases(3000, 400), func(r *rand.Rand) (int, int) { return 1 + r.IntN(3000), 1 + r.IntN(500) }, used{blocks: 20, bytes: 1 << 20, variables: 20 * mostAtoms, arrays: 30}},
	} {
		for i, cfg := range []fagus.Config{
			{Nodes: 3, Placement: fagus.PlacePrivate}, {Nodes: 2, Placement: fagus.PlaceShared}, {Nodes: 2, Placement: fagus.PlacePrivate, Mode: fagus.Threaded}, {Nodes: 2},
		} {
			if _, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
				var first used
				r := rand.New(rand.NewPCG(5, 6))
				calls := c.calls
				if cfg.Placement != fagus.PlaceAuto { // in place calls are fast
					calls /= 1 + 3*i
				}
				if testing.Short() {
					calls = min(calls, 300)
				}
				for call := range calls {
					if call == 100 {
						first = usedBy(n)
					}
					length, by := c.shape(r)
					x, want := make([]int64, length), make([]int64, length)
					for i := range want {
						want[i] = int64(i * call)
					}
					if n.Rank() == 0 {
						copy(x, want)
					}
					if err := sum(n, x, 2, by); err != nil {
						return err
					}
					for range 2 {
						y := make([]int64, length)
						neighbours(y, want, 0, length)
						want = y
					}
					if n.Rank() == 0 && !slices.Equal(x, want) {
						return fmt.Errorf("call %d gives %v, want %v", call, x, want)
					}
				}
				last := usedBy(n)
				most := used{max(first.blocks, c.most.blocks, 1), max(first.bytes, c.most.bytes), max(first.variables, c.most.variables), max(first.arrays, c.most.arrays), mostPlans}
				if last.blocks > most.blocks || last.bytes > most.bytes || last.variables > most.variables || last.arrays > most.arrays || last.plans > most.plans {
					return fmt.Errorf("after 100 calls %+v, after %d calls %+v: want at most %+v", first, c.calls, last, most)
				}
				if n.Rank() == 0 {
					t.Logf("%s, %d nodes, %v mode: %+v, then %+v", c.name, cfg.Nodes, cfg.Mode, first, last)
				}
				return nil
			}); err != nil {
				t.Errorf("%s, %d nodes, %v mode, %v: %v", c.name, cfg.Nodes, cfg.Mode, cfg.Placement, err)
			}
		}
	}
}
