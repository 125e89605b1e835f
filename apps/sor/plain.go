package sor

import "github.com/fagus-dsm/fagus/apps/internal/verify"

// Plain runs the program without Fagus. cfg must be valid.
func Plain(cfg Config, timed verify.Timer) (r Result) {
	b := newBoard(cfg)
	for c := range b.points {
		b.points[c] = make([]float64, b.N*b.columns)
	}
	b.fillBorder(0, b.N)
	r.Time = timed(func() {
		for range b.Total() {
			for c := range b.points {
				b.relax(c, 1, b.N-1)
			}
			b.Advance(1)
		}
	})
	b.Plant(b.spoil)
	r.Error = b.farthest(0, b.N)
	return r
}
