package cg

import (
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/matrix"
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// Plain runs the benchmark without Fagus.
func Plain(cfg npb.Config, timed verify.Timer) verify.Result {
	problem := problemOf(cfg.Class)
	m := problem.matrix(0, problem.rows)
	cfg.Plant(m.spoil)
	vector := func() []float64 { return make([]float64, problem.rows) }
	x, z, p, q, r := vector(), vector(), vector(), vector(), vector()
	solve := func() (residual float64) {
		clear(z)
		copy(r, x)
		copy(p, x)
		rho := matrix.Dot(r, r)
		for range steps {
			m.times(p, q)
			alpha := rho / matrix.Dot(p, q)
			addScaled(z, alpha, p)
			addScaled(r, -alpha, q)
			before := rho
			rho = matrix.Dot(r, r)
			scaleAdd(p, rho/before, r)
		}
		m.times(z, r)
		addScaled(r, -1, x)
		return math.Sqrt(matrix.Dot(r, r))
	}
	iterate := func() eigenvalue {
		residual := solve()
		xz, zz := matrix.Dot(x, z), matrix.Dot(z, z)
		clear(x)
		addScaled(x, 1/math.Sqrt(zz), z)
		return problem.eigenvalue(xz, residual)
	}
	ones(x)
	iterate() // one untimed iteration, as in NPB
	ones(x)
	found := make([]eigenvalue, problem.iterations)
	result := verify.Result{Operations: problem.operations()}
	result.Time = timed(func() {
		for i := range found {
			found[i] = iterate()
			cfg.Advance(1)
		}
	})
	problem.report(&result, found)
	return result
}
