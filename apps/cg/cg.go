package cg

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

const tolerance = 1e-10

// problem describes a class of NPB; zeta is the reference result.
type problem struct {
	rows, nonzer int
	iterations   int // of the power method
	shift        float64
	zeta         float64
}

func problemOf(c npb.Class) problem {
	switch c {
	case npb.S:
		return problem{1400, 7, 15, 10, 8.5971775078648}
	case npb.W:
		return problem{7000, 8, 15, 12, 10.362595087124}
	case npb.B:
		return problem{75000, 13, 75, 60, 22.712745482631}
	case npb.C:
		return problem{150000, 15, 75, 110, 28.973605592845}
	}
	return problem{14000, 11, 15, 20, 17.130235054029}
}

// operations returns the operations of the timed section, as NPB counts them.
func (p *problem) operations() float64 {
	rows, elements := float64(p.rows), float64(p.nonzer*(p.nonzer+1))
	return 2 * float64(p.iterations) * rows * (3 + elements + steps*(5+elements) + 3)
}

// Units returns the number of iterations of the power method.
func Units(c npb.Class) int { return problemOf(c).iterations }

// Memory returns the least number of bytes that all ranks of a class need together. It counts the
// elements of the matrix, in a slice that grows, and in every rank the vectors from which the
// matrix is made.
func Memory(c npb.Class, nodes int) int {
	p := problemOf(c)
	elements := p.rows * (p.nonzer + 1)
	return 2*10*elements*(p.nonzer+1) + nodes*16*elements
}

// Run runs the benchmark. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg npb.Config) (verify.Result, error) {
	p := problemOf(cfg.Class)
	s, err := newSolver(n, p, &cfg.Options)
	if err != nil {
		return verify.Result{}, err
	}
	x, z := s.vector(), s.vector()
	ones(x)
	s.iterate(x, z) // one untimed iteration, as in NPB
	ones(x)
	var found []eigenvalue // the estimate of each iteration
	parts.KeepBlock(n, "x", &x, p.rows, 1)
	n.Resume(&found)
	r := verify.Result{Operations: p.operations() * verify.Left(n, p.iterations)}
	r.Time, err = parts.Timed(n, func() error {
		for range n.Steps(p.iterations) {
			xz, residual := s.iterate(x, z)
			found = append(found, p.eigenvalue(xz, residual))
			cfg.Advance(1)
		}
		return n.Err()
	})
	if err == nil && n.Rank() == 0 {
		p.report(&r, found)
	}
	return r, err
}

type eigenvalue struct{ Zeta, Residual float64 }

// eigenvalue returns the estimate that follows from xz, the dot product of x and z.
func (p *problem) eigenvalue(xz, residual float64) eigenvalue {
	return eigenvalue{p.shift + 1/xz, residual}
}

func (p *problem) report(r *verify.Result, found []eigenvalue) {
	for i, f := range found {
		r.Lines = append(r.Lines, fmt.Sprintf("iteration %d: residual %.3e, zeta %.13f", i+1, f.Residual, f.Zeta))
	}
	r.Checks = []verify.Check{{Name: "zeta", Got: found[p.iterations-1].Zeta, Want: p.zeta, Tolerance: tolerance}}
}

func ones(x []float64) {
	for i := range x {
		x[i] = 1
	}
}
