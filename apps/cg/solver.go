package cg

import (
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/matrix"
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// steps is the number of conjugate-gradient steps in place of an exact solution.
const steps = 25

// stepOperations is the number of operations per row and step, without the matrix product.
const stepOperations = 10

// solver is the state of a rank. Its vectors and arguments are this rank's blocks of vectors.
type solver struct {
	node    *fagus.Node
	mine    *sparse               // this rank's rows
	factor  *parts.Whole[float64] // the shared vector that is multiplied
	p, q, r []float64
}

func newSolver(n *fagus.Node, p problem, opts *verify.Options) (*solver, error) {
	lo, hi := parts.Block(p.rows, n.Nodes(), n.Rank())
	s := &solver{node: n, mine: p.matrix(lo, hi)}
	s.p, s.q, s.r = s.vector(), s.vector(), s.vector()
	opts.PlantLast(n, p.rows, s.mine.spoil)
	var err error
	s.factor, err = parts.NewWhole[float64](n, "factor", p.rows)
	return s, err
}

func (s *solver) vector() []float64 { return make([]float64, s.mine.rows) }

// times computes product = matrix times v.
func (s *solver) times(v, product []float64) {
	s.factor.Fill(func(mine []float64) { copy(mine, v) })
	s.factor.Read(func(all []float64) {
		s.mine.times(all, product)
		s.node.Spend(2 * fagus.Time(s.mine.elements()) * npb.OperationTime)
	})
}

// dot returns the dot product of vectors of all ranks, and 0 when the run has failed.
func (s *solver) dot(a, b []float64) float64 {
	sum, _ := fagus.Reduce(s.node, matrix.Dot(a, b), func(x, y float64) float64 { return x + y })
	return sum
}

// iterate solves a system for x, and replaces x by the solution z, normalized. It returns the dot
// product of the old x and z, and the residual.
func (s *solver) iterate(x, z []float64) (xz, residual float64) {
	residual = s.solve(x, z)
	xz = s.dot(x, z)
	zz := s.dot(z, z)
	clear(x)
	addScaled(x, 1/math.Sqrt(zz), z)
	return xz, residual
}

// solve finds z such that the matrix times z is about x, and returns the norm of the residual.
func (s *solver) solve(x, z []float64) (residual float64) {
	p, q, r := s.p, s.q, s.r
	clear(z)
	copy(r, x)
	copy(p, x)
	rho := s.dot(r, r)
	for i := 0; i < steps && s.node.Err() == nil; i++ {
		s.times(p, q)
		pq := s.dot(p, q)
		addScaled(z, rho/pq, p)
		addScaled(r, -rho/pq, q)
		before := rho
		rho = s.dot(r, r)
		scaleAdd(p, rho/before, r)
		s.node.Spend(stepOperations * fagus.Time(len(x)) * npb.OperationTime)
	}
	s.times(z, r)
	addScaled(r, -1, x)
	return math.Sqrt(s.dot(r, r))
}
