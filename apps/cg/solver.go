package cg

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// steps is how many steps of conjugate gradients stand for solving a system.
const steps = 25

// stepOperations are those of a step for a row beside the product: additions and multiplications.
const stepOperations = 10

// solver is what a rank solves systems with.
type solver struct {
	node     *fagus.Node
	mine     *matrix                   // this rank's rows
	products [2]*parts.Blocks[float64] // in turn
	round    int
	p, q, r  []float64
}

func newSolver(n *fagus.Node, p problem, spoil bool) (*solver, error) {
	s := &solver{node: n, p: make([]float64, p.rows), q: make([]float64, p.rows), r: make([]float64, p.rows)}
	lo, hi := parts.Block(p.rows, n.Nodes(), n.Rank())
	s.mine = p.matrix(lo, hi)
	if spoil && n.Rank() == n.Nodes()-1 {
		s.mine.values[len(s.mine.values)-1]++
	}
	for i := range s.products {
		var err error
		if s.products[i], err = parts.NewBlocks[float64](n, fmt.Sprintf("product/%d", i), p.rows, 1); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// times makes product, at all ranks, of the matrix and v, which all ranks have the same.
func (s *solver) times(v, product []float64) error {
	n, to := s.node, s.products[s.round%2]
	s.round++
	if err := n.During(n.Set(to.WantMine(fagus.Exclusive)...), func() error {
		s.mine.times(v, to.Mine())
		n.Spend(2 * fagus.Time(len(s.mine.values)) * npb.OperationTime)
		return nil
	}); err != nil {
		return err
	}
	if err := n.Barrier(); err != nil {
		return err
	}
	return n.During(n.Set(to.WantAll(fagus.Shared)...), func() error {
		copy(product, to.Slice())
		return nil
	})
}

// solve makes z, so that the matrix times z is about x, and returns the length of the difference.
func (s *solver) solve(x, z []float64) (residual float64, err error) {
	p, q, r := s.p, s.q, s.r
	clear(z)
	copy(r, x)
	copy(p, x)
	rho := dot(r, r)
	for range steps {
		if err := s.times(p, q); err != nil {
			return 0, err
		}
		alpha := rho / dot(p, q)
		addScaled(z, alpha, p)
		addScaled(r, -alpha, q)
		before := rho
		rho = dot(r, r)
		scaleAdd(p, rho/before, r)
		s.node.Spend(stepOperations * fagus.Time(len(x)) * npb.OperationTime)
	}
	if err := s.times(z, r); err != nil {
		return 0, err
	}
	addScaled(r, -1, x)
	return math.Sqrt(dot(r, r)), nil
}

// dot is the sum of products, four sums at once: an addition waits for the one before.
func dot(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i, x := range a {
		s0 += x * b[i]
	}
	return s0 + s1 + (s2 + s3)
}

// addScaled adds f times b to a.
func addScaled(a []float64, f float64, b []float64) {
	b = b[:len(a)]
	for i := range a {
		a[i] += f * b[i]
	}
}

// scaleAdd makes a f times a, plus b.
func scaleAdd(a []float64, f float64, b []float64) {
	b = b[:len(a)]
	for i := range a {
		a[i] = f*a[i] + b[i]
	}
}
