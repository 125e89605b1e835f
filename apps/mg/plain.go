package mg

import (
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Plain runs the benchmark without Fagus.
func Plain(cfg npb.Config, timed verify.Timer) verify.Result {
	p := problemOf(cfg.Class)
	k, v, levels := newKernel(&p), newCharges(p.n, 0, p.n), wholeFrom(p.n)
	for _, l := range levels { // NPB touches the memory before the timed section, too
		clear(l.u.numbers)
		clear(l.r.numbers)
	}
	cfg.Plant(func() { v.Row(p.n - 1)[0]++ })
	finest := levels[0]
	norm := func() float64 {
		var sum parts.Exact
		for z := range p.n {
			k.residual(finest.r, v, finest.u, z, p.n)
			sum.Add(squares(finest.r.Row(z)))
		}
		return math.Sqrt(sum.Float64() / float64(p.points()))
	}
	norms := make([]float64, 1+p.iterations)
	r := verify.Result{Operations: p.operations(p.iterations)}
	r.Time = timed(func() {
		norms[0] = norm()
		for i := range p.iterations {
			k.cycle(levels, v, func(points, operations int) {})
			norms[1+i] = norm()
			cfg.Advance(p.n)
		}
	})
	p.report(&r, norms)
	return r
}
