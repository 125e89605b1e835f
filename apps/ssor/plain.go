package ssor

import (
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Plain runs the benchmark without Fagus.
func Plain(cfg npb.Config, timed verify.Timer) verify.Result {
	p := problemOf(cfg.Class)
	plane := p.n * p.n
	u := make([]vector, p.planes()*plane)
	b := newBlock(&p, 1, p.n-1, func(z int) []vector { return u[(z-1)*plane:][:plane] })
	fill := func(f func(z int, plane []vector)) {
		for z := b.lo; z < b.hi; z++ {
			f(z, b.u(z))
		}
	}
	fill(b.exact)
	b.residuals()
	b.x, b.forcing = b.forcing, b.x
	fill(b.start)
	cfg.Plant(b.spoil)
	b.residuals()
	outside := make([]vector, p.n)
	before := func(int) []vector { return outside }
	lower, upper := b.lower(), b.upper()
	up, down := b.batches(+1), b.batches(-1)
	var residual []parts.Exact
	r := verify.Result{Operations: p.each() * float64(p.iterations)}
	r.Time = timed(func() {
		for range p.iterations {
			for _, rows := range up {
				b.sweep(&lower, rows, before)
			}
			for _, rows := range down {
				b.sweep(&upper, rows, before)
			}
			for z := b.lo; z < b.hi; z++ {
				b.correct(z)
			}
			b.residuals()
			cfg.Advance(p.planes())
		}
		residual = b.total(b.squares)
	})
	p.report(&r, residual, b.total(b.errors, b.pressures))
	return r
}
