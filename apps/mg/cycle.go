package mg

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// leastShared is the number of planes below which a level is not divided among the ranks.
const leastShared = 16

type solver struct {
	*kernel
	node   *fagus.Node
	sums   *parts.ExactSums
	v      *own // this rank's planes of the right side, in private memory
	levels []level
	whole  []whole // the coarser levels, which every rank computes alone
}

// level is a level whose n planes are divided among the ranks. The coarsest one has no u: every
// rank reads its whole residual and continues alone.
type level struct {
	n    int
	u, r *parts.Grid[float64]
}

func newSolver(n *fagus.Node, p *problem) (s *solver, err error) {
	finest := p.n
	s = &solver{kernel: newKernel(p), node: n}
	if s.sums, err = parts.NewExactSums(n, "norm", 1); err != nil {
		return nil, err
	}
	planes := finest
	for ; planes == finest || planes >= leastShared && 2*planes >= n.Nodes(); planes /= 2 {
		l := level{n: planes}
		if l.u, err = newGrid(n, "u", planes, haloOf(n.Nodes())); err != nil {
			return nil, err
		}
		if l.r, err = newGrid(n, "r", planes, haloOf(n.Nodes())); err != nil {
			return nil, err
		}
		s.levels = append(s.levels, l)
	}
	for _, l := range s.levels[1:] { // every cycle computes them anew
		l.u.Scratch()
		l.r.Scratch()
	}
	top := level{n: planes}
	if top.r, err = newGrid(n, "r", planes, 0); err != nil {
		return nil, err
	}
	top.r.Scratch()
	s.whole = wholeFrom(planes)
	lo, hi := s.levels[0].u.Mine()
	s.v = newCharges(finest, lo, hi)
	s.touch()
	s.levels = append(s.levels, top)
	return s, nil
}

func newGrid(n *fagus.Node, name string, planes, halo int) (*parts.Grid[float64], error) {
	return parts.NewGrid[float64](n, fmt.Sprintf("%s%d", name, planes), parts.Shape{Rows: planes, Columns: planes * planes, Halo: halo, Wrap: true})
}

// haloOf returns how many planes of its neighbours a rank reads at most. If the number of ranks
// is a power of 2, that is one plane on each side. Otherwise the blocks of two levels do not
// align: they begin up to ranks/2 planes apart.
func haloOf(ranks int) int {
	if ranks&(ranks-1) == 0 {
		return 1
	}
	return 1 + ranks/2
}

// touch writes this rank's planes once before the clock starts.
func (s *solver) touch() {
	var wants []fagus.Request
	for _, l := range s.levels {
		wants = slices.Concat(wants, l.u.WantFill(), l.r.WantFill())
	}
	s.node.Set(wants...).Do(func() {
		for _, l := range s.levels {
			lo, hi := l.u.Mine()
			for z := lo; z < hi; z++ {
				clear(l.u.Row(z))
				clear(l.r.Row(z))
			}
		}
	})
}

// cycle is one V-cycle: it restricts the residual to 2 planes, and prolongs the correction.
func (s *solver) cycle() {
	last := len(s.levels) - 1
	for i := range last {
		fine, coarse := &s.levels[i], &s.levels[i+1]
		lo, hi := coarse.r.Mine()
		s.sweep(coarse.r, restrictOperations, fine.r.WantRows(2*lo, 2*hi+1), func(z int) { s.restrict(coarse.r, fine.r, z, coarse.n) })
	}
	top := s.levels[last].r
	s.node.Set(top.WantAll(fagus.Shared)...).Do(func() { copy(s.whole[0].r.numbers, top.Slice()) })
	s.kernel.cycle(s.whole, nil, func(points, operations int) {
		s.node.Spend(fagus.Time(points*operations) * npb.OperationTime)
	})
	for i := last - 1; i >= 0; i-- {
		s.up(i)
	}
}

func (s *solver) up(i int) {
	l, v := &s.levels[i], field(s.v)
	if i > 0 {
		v = l.r
	}
	var below field = s.whole[0].u
	var reads []fagus.Request
	if shared := s.levels[i+1].u; shared != nil {
		lo, hi := l.u.Mine()
		below, reads = shared, shared.WantRows((lo-1)>>1, (hi+1)>>1)
	}
	s.sweep(l.u, prolongOperations, reads, func(z int) {
		if i > 0 {
			clear(l.u.Row(z))
		}
		s.prolong(l.u, below, z, l.n)
	})
	s.sweep(l.r, residualOperations, beside(l.u), func(z int) { s.residual(l.r, v, l.u, z, l.n) })
	s.sweep(l.u, smoothOperations, beside(l.r), func(z int) { s.smooth(l.u, l.r, z, l.n) })
}
