package ep

import (
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Plain runs the benchmark without Fagus.
func Plain(cfg npb.Config, timed verify.Timer) verify.Result {
	p := problemOf(cfg.Class)
	inRing, all := make([]int64, rings), make([]parts.Exact, len(sums{}))
	r := verify.Result{Operations: float64(int(1) << p.m)}
	r.Time = timed(func() {
		for b := range Units(cfg.Class) {
			s := batch(b, inRing)
			for i, x := range s {
				all[i].Add(x)
			}
			cfg.Advance(1)
		}
		cfg.Plant(func() { all[0].Add(1) })
	})
	r.Lines, r.Checks = lines(inRing), checks(p, inRing, all)
	return r
}
