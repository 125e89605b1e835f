package cg

import (
	"math"

	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/apps/verify"
)

// Plain is the benchmark without Fagus.
func Plain(cfg npb.Config, timed verify.Timer) verify.Result {
	problem := problemOf(cfg.Class)
	m := problem.matrix(0, problem.rows)
	if cfg.Spoil {
		m.values[len(m.values)-1]++
	}
	vector := func() []float64 { return make([]float64, problem.rows) }
	x, z, p, q, r := vector(), vector(), vector(), vector(), vector()
	solve := func() (residual float64) {
		clear(z)
		copy(r, x)
		copy(p, x)
		rho := dot(r, r)
		for range steps {
			m.times(p, q)
			alpha := rho / dot(p, q)
			addScaled(z, alpha, p)
			addScaled(r, -alpha, q)
			before := rho
			rho = dot(r, r)
			scaleAdd(p, rho/before, r)
		}
		m.times(z, r)
		addScaled(r, -1, x)
		return math.Sqrt(dot(r, r))
	}
	iterate := func() eigenvalue {
		residual := solve()
		xz, zz := dot(x, z), dot(z, z)
		clear(x)
		addScaled(x, 1/math.Sqrt(zz), z)
		return problem.eigenvalue(xz, residual)
	}
	ones(x)
	iterate() // once untimed, as NPB does
	ones(x)
	found := make([]eigenvalue, iterations)
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
