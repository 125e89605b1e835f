package adi

import (
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Of the operations of a step, rows of all planes take about one in rowShare.
const rowShare = 4

type ranked struct {
	*sweeper
	node    *fagus.Node
	cfg     *npb.Config
	lo, hi  int       // this rank's planes, and its rows: inner ones
	forcing []float64 // of these planes: [z][y][component][x]
	sets    struct{ planes, rows, fill, residual, errors *fagus.SyncSet }
}

// run is Benchmark.Run. Every rank has a solver of its own.
func run(n *fagus.Node, cfg npb.Config, p *Problem, solver Solver) (verify.Result, error) {
	s, err := newRanked(n, &cfg, p, solver)
	if err != nil {
		return verify.Result{}, err
	}
	sums, err := parts.NewExactSums(n, "norms", 2*components)
	if err != nil {
		return verify.Result{}, err
	}
	if err := s.begin(); err != nil {
		return verify.Result{}, err
	}
	n.Resume()
	r := verify.Result{Operations: p.Operations * float64(p.Steps-n.Begun())}
	r.Time, err = parts.Timed(n, func() error {
		for range n.Steps(p.Steps) {
			s.step()
		}
		return n.Err()
	})
	if err != nil {
		return r, err
	}
	total := s.norms()
	if err := sums.Add(total[:]); err != nil {
		return r, err
	}
	if n.Rank() == 0 {
		r.Checks = p.checks(total[:])
	}
	return r, nil
}

func newRanked(n *fagus.Node, cfg *npb.Config, p *Problem, solver Solver) (*ranked, error) {
	u, err := newField(n, "u", p.N, halo)
	if err != nil {
		return nil, err
	}
	r, err := newField(n, "rhs", p.N, 0)
	if err != nil {
		return nil, err
	}
	r.Scratch() // every step computes it anew
	s := &ranked{sweeper: newSweeper(p, solver, u.cube, r.cube), node: n, cfg: cfg}
	me := n.Rank()
	lo, hi := parts.Block(p.N, n.Nodes(), me)
	s.lo, s.hi = max(lo, 1), min(hi, p.N-1)
	s.forcing = make([]float64, max(s.hi-s.lo, 0)*p.N*u.length)
	myPlanes, myRows := func(t *tile) bool { return t.planes == me }, func(t *tile) bool { return t.rows == me }
	near := u.want(fagus.Shared, func(t *tile) bool { return s.lo < s.hi && t.lo < s.hi+halo && t.hi > s.lo-halo })
	s.sets.planes = n.Set(append(r.want(fagus.Exclusive, myPlanes), near...)...)
	s.sets.residual = n.Set(near...)
	s.sets.fill = n.Set(u.want(fagus.Exclusive, myRows)...)
	s.sets.rows = n.Set(slices.Concat(u.want(fagus.Exclusive, myRows), r.want(fagus.Shared, myRows))...)
	s.sets.errors = n.Set(u.want(fagus.Shared, myRows)...)
	return s, nil
}

// sweep holds a set of tiles and calls f for each of this rank's planes or rows, lo to hi-1, which
// share the given number of operations with those of other ranks. A Fence follows: the next sweep
// reads what this one writes, and overwrites what it reads.
func (s *ranked) sweep(set *fagus.SyncSet, lo, hi int, operations float64, f func(i int)) {
	spend := fagus.Time(operations / float64(s.N-2) * float64(npb.OperationTime))
	s.node.During(set, func() error {
		for i := lo; i < hi && s.node.Err() == nil; i++ {
			f(i)
			s.node.Spend(spend)
		}
		return nil
	})
	s.node.Fence()
}

func (s *ranked) forcingOf(z int) []float64 {
	length := s.N * s.u.length
	return s.forcing[(z-s.lo)*length:][:length]
}

// begin computes the forcing from the exact solution, and then the start values. It writes all
// memory once before the clock starts.
func (s *ranked) begin() error {
	lo, hi := parts.Block(s.N, s.node.Nodes(), s.node.Rank())
	fill := func(value func(c *[13]float64, at [3]float64) float64) {
		s.sweep(s.sets.fill, lo, hi, 0, func(y int) {
			for z := range s.N {
				s.fill(s.u.row(z, y), z, y, value)
			}
			if y == s.N-1 {
				s.cfg.Plant(func() { s.u.row(s.N/2, y)[s.N/2]++ })
			}
		})
	}
	fill(exact)
	s.rhs.begin(s.lo)
	s.sweep(s.sets.planes, s.lo, s.hi, 0, func(z int) {
		s.force(z, s.forcingOf(z))
		for y := range s.N {
			clear(s.r.row(z, y))
		}
	})
	fill(start)
	return s.node.Err()
}

func (s *ranked) step() {
	s.rhs.begin(s.lo)
	s.sweep(s.sets.planes, s.lo, s.hi, s.Operations*(rowShare-1)/rowShare, func(z int) {
		s.solvePlane(z, s.forcingOf(z))
		s.cfg.Advance(1)
	})
	s.sweep(s.sets.rows, s.lo, s.hi, s.Operations/rowShare, s.solveRow)
}

// norms returns this rank's part of the sums of squares.
func (s *ranked) norms() (sums norms) {
	s.rhs.begin(s.lo)
	s.sweep(s.sets.residual, s.lo, s.hi, 0, func(z int) { s.addResidual(&sums, z, s.forcingOf(z)) })
	lo, hi := parts.Block(s.N, s.node.Nodes(), s.node.Rank())
	s.sweep(s.sets.errors, lo, hi, 0, func(y int) { s.addError(&sums, y) })
	return sums
}
