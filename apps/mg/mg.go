package mg

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

const (
	tolerance  = 1e-8
	operations = 58 // per point and iteration, as NPB counts them
)

// problem describes a class: n x n x n points, and the reference norm of the last residual.
type problem struct {
	n          int
	iterations int
	smoother   smoother
	norm       float64
}

func problemOf(c npb.Class) problem {
	// NPB calls these smoothers s(a) and s(b).
	soft, strong := smoother{-3.0 / 8, 1.0 / 32, -1.0 / 64}, smoother{-3.0 / 17, 1.0 / 33, -1.0 / 61}
	switch c {
	case npb.S:
		return problem{32, 4, soft, 0.5307707005734e-4}
	case npb.W:
		return problem{128, 4, soft, 0.6467329375339e-5}
	case npb.B:
		return problem{256, 20, strong, 0.1800564401355e-5}
	case npb.C:
		return problem{512, 20, strong, 0.5706732285740e-6}
	}
	return problem{256, 4, soft, 0.2433365309069e-5}
}

func (p *problem) points() int { return p.n * p.n * p.n }
func (p *problem) operations(iterations int) float64 {
	return operations * float64(iterations) * float64(p.points())
}

// Units returns the number of finest-level planes that all iterations of a class compute.
func Units(c npb.Class) int { p := problemOf(c); return p.iterations * p.n }

// Memory returns the least number of bytes that all ranks of a class need: for u and r on all
// levels. Nobody writes the zeros of v.
func Memory(c npb.Class, _ int) int { p := problemOf(c); return 2 * 8 * p.points() * 8 / 7 }

// Validate reports an error if there are more ranks than planes.
func Validate(c npb.Class, nodes int) error {
	if n := problemOf(c).n; nodes > n {
		return fmt.Errorf("mg: class %v on %d nodes: its %d planes are enough for %[3]d nodes at most", c, nodes, n)
	}
	return nil
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
	cfg.PlantLast(n, p.n, func() { s.v.Row(p.n - 1)[0]++ })
	var norms []float64
	n.Resume(&norms)
	r := verify.Result{Operations: p.operations(min(p.iterations, p.iterations+1-n.Begun()))}
	r.Time, err = parts.Timed(n, func() error {
		for i := range n.Steps(p.iterations + 1) {
			if i > 0 {
				s.cycle()
				lo, hi := s.levels[0].u.Mine()
				cfg.Advance(hi - lo)
			}
			norms = append(norms, s.norm())
		}
		return n.Err()
	})
	if err == nil && n.Rank() == 0 {
		p.report(&r, norms)
	}
	return r, err
}

func (p *problem) report(r *verify.Result, norms []float64) {
	for i, norm := range norms {
		r.Lines = append(r.Lines, fmt.Sprintf("iteration %d: norm of the residual %.13e", i, norm))
	}
	r.Checks = []verify.Check{{Name: "L2 norm", Got: norms[p.iterations], Want: p.norm, Tolerance: tolerance}}
}

// norm computes the residual of the finest level and returns its L2 norm. Squares are added
// within a plane first; the sums of the planes are added exactly.
func (s *solver) norm() float64 {
	finest := &s.levels[0]
	sum := make([]parts.Exact, 1)
	s.sweep(finest.r, residualOperations+2, beside(finest.u), func(z int) {
		s.residual(finest.r, s.v, finest.u, z, finest.n)
		sum[0].Add(squares(finest.r.Row(z)))
	})
	s.sums.Add(sum)
	return math.Sqrt(sum[0].Float64() / float64(finest.n*finest.n*finest.n))
}

// sweep calls f to overwrite each of this rank's planes of a grid. The rank also holds the data
// requested in reads. operations is the cost per point. A Fence follows: the next sweep reads the
// written planes, and overwrites the planes that f read.
func (s *solver) sweep(writes *parts.Grid[float64], operations int, reads []fagus.Request, f func(z int)) {
	lo, hi := writes.Mine()
	if lo == hi {
		reads = nil
	}
	s.node.Set(append(writes.WantFill(), reads...)...).Do(func() {
		for z := lo; z < hi && s.node.Err() == nil; z++ {
			f(z)
			s.node.Spend(fagus.Time(writes.Columns*operations) * npb.OperationTime)
		}
	})
	s.node.Fence()
}

// beside requests this rank's planes and one more on each side, shared.
func beside(g *parts.Grid[float64]) []fagus.Request {
	lo, hi := g.Mine()
	return g.WantRows(lo-1, hi+1)
}
