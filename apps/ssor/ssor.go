package ssor

import (
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

type solver struct {
	*block
	node            *fagus.Node
	grid            *parts.Grid[vector] // the unknowns of the inner planes: row z-1 is plane z
	norms, solution *parts.ExactSums
	lower, upper    *pipeline
	work            fagus.Time // of a virtual machine, per plane and iteration

	mine, fill, around *fagus.SyncSet // of the grid: this rank's planes, and two on each side
}

// Run runs the benchmark. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg npb.Config) (verify.Result, error) {
	if err := Validate(cfg.Class, n.Nodes()); err != nil {
		return verify.Result{}, err
	}
	p := problemOf(cfg.Class)
	s, err := newSolver(n, &p)
	if err != nil {
		return verify.Result{}, err
	}
	s.set(s.exact)
	s.evaluate()
	s.x, s.forcing = s.forcing, s.x
	s.set(s.start)
	cfg.PlantLast(n, p.planes(), s.spoil)
	n.Resume()
	s.evaluate()
	var residual []parts.Exact
	r := verify.Result{Operations: p.each() * float64(p.iterations-n.Begun())}
	r.Time, err = parts.Timed(n, func() error {
		for i := range n.Steps(p.iterations) {
			s.iterate(i)
			cfg.Advance(s.hi - s.lo)
		}
		residual = s.total(s.squares)
		return s.norms.Add(residual)
	})
	if err != nil {
		return r, err
	}
	var solution []parts.Exact
	s.mine.Do(func() { solution = s.total(s.errors, s.pressures) })
	if err = s.solution.Add(solution); err == nil && n.Rank() == 0 {
		p.report(&r, residual, solution)
	}
	return r, err
}

func newSolver(n *fagus.Node, p *problem) (s *solver, err error) {
	s = &solver{node: n, work: fagus.Time(p.each() / float64(p.planes()) * float64(npb.OperationTime))}
	if s.norms, err = parts.NewExactSums(n, "residual", components); err != nil {
		return nil, err
	}
	if s.solution, err = parts.NewExactSums(n, "solution", 2*components); err != nil {
		return nil, err
	}
	shape := parts.Shape{Rows: p.planes(), Columns: p.n * p.n, Halo: 2}
	if s.grid, err = parts.NewGrid[vector](n, "u", shape); err != nil {
		return nil, err
	}
	lo, hi := s.grid.Mine()
	s.block = newBlock(p, 1+lo, 1+hi, func(z int) []vector { return s.grid.Row(z - 1) })
	s.mine, s.fill = n.Set(s.grid.WantMine(fagus.Shared)...), n.Set(s.grid.WantFill()...)
	s.around = n.Set(s.grid.WantRows(lo-2, hi+2)...)
	if s.lower, err = newPipeline(s, "lower", s.kernel.lower()); err != nil {
		return nil, err
	}
	s.upper, err = newPipeline(s, "upper", s.kernel.upper())
	return s, err
}

// set sets this rank's planes by f.
func (s *solver) set(f func(z int, plane []vector)) {
	s.fill.Do(func() {
		for z := s.lo; z < s.hi; z++ {
			f(z, s.u(z))
		}
	})
	s.node.Fence()
}

// evaluate computes the residuals. A Fence follows: next, ranks change the planes that others read.
func (s *solver) evaluate() {
	s.around.Do(func() {
		s.residuals()
		s.spend(residualShare)
	})
	s.node.Fence()
}

// iterate makes iteration i.
func (s *solver) iterate(i int) {
	s.lower.run(i)
	s.upper.run(i)
	s.fill.Do(func() {
		for z := s.lo; z < s.hi; z++ {
			s.correct(z)
		}
	})
	s.node.Fence()
	s.evaluate()
}

// spend spends a share of the operations of an iteration.
func (s *solver) spend(share float64) {
	s.node.Spend(fagus.Time(share * float64(s.hi-s.lo) * float64(s.work)))
}
