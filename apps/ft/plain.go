package ft

import (
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Plain runs the benchmark without Fagus.
func Plain(cfg npb.Config, timed verify.Timer) verify.Result {
	p := problemOf(cfg.Class)
	k := newKernel(p)
	cfg.Plant(k.spoil)
	u, spectrum := make([]complex128, p.points()), make([]complex128, p.points())
	clear(u)
	clear(spectrum)
	planes := func(z int) func(y int) []complex128 {
		return func(y int) []complex128 { return u[(z*p.ny+y)*p.nx:][:p.nx] }
	}
	lines := func(y int) func(z int) []complex128 {
		return func(z int) []complex128 { return u[(z*p.ny+y)*p.nx:][:p.nx] }
	}
	waves := func(y int) []complex128 { return spectrum[y*p.nz*p.nx:][:p.nz*p.nx] }
	exact := make([]parts.Exact, 2*p.iterations())
	r := verify.Result{Operations: p.operations(0)}
	r.Time = timed(func() {
		for z := range p.nz {
			k.begin(z, planes(z))
			cfg.Advance(1)
		}
		for y := range p.ny {
			k.analyse(waves(y), lines(y))
		}
		for i := range p.iterations() {
			for y := range p.ny {
				k.evolve(y, waves(y), lines(y))
			}
			for z := range p.nz {
				k.finish(z, planes(z), exact[2*i:][:2])
				cfg.Advance(1)
			}
		}
	})
	p.report(&r, exact)
	return r
}
