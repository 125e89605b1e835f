package adi

import (
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// plain is Benchmark.Plain.
func plain(cfg npb.Config, timed verify.Timer, p *Problem, solver Solver) verify.Result {
	u, r := newCube(p.N), newCube(p.N)
	u.numbers, r.numbers = make([]float64, u.size()), make([]float64, r.size())
	clear(r.numbers)
	s := newSweeper(p, solver, u, r)
	fill := func(value func(c *[13]float64, at [3]float64) float64) {
		for z := range p.N {
			for y := range p.N {
				p.fill(u.row(z, y), z, y, value)
			}
		}
	}
	forcing := make([]float64, u.size())
	forcingOf := func(z int) []float64 { return forcing[z*p.N*u.length:][:p.N*u.length] }
	planes := func(f func(z int)) {
		s.rhs.begin(1)
		for z := 1; z < p.N-1; z++ {
			f(z)
		}
	}
	fill(exact)
	planes(func(z int) { s.force(z, forcingOf(z)) })
	fill(start)
	cfg.Plant(func() { u.row(p.N/2, p.N-1)[p.N/2]++ })
	result := verify.Result{Operations: p.Operations * float64(p.Steps)}
	result.Time = timed(func() {
		for range p.Steps {
			planes(func(z int) {
				s.solvePlane(z, forcingOf(z))
				cfg.Advance(1)
			})
			for y := 1; y < p.N-1; y++ {
				s.solveRow(y)
			}
		}
	})
	var sums norms
	planes(func(z int) { s.addResidual(&sums, z, forcingOf(z)) })
	for y := range p.N {
		s.addError(&sums, y)
	}
	result.Checks = p.checks(sums[:])
	return result
}
