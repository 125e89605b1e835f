package kmeans

import (
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Plain finds the clusters without Fagus. cfg must be valid.
func Plain(cfg Config, timed verify.Timer) verify.Result {
	cfg.size()
	l, d := newLloyd(cfg), cfg.Dimensions
	points, sums := make([]float64, cfg.Points*d), make([]float64, l.numbers())
	l.labels = noLabels(cfg.Points)
	l.fill(points, 0, cfg.Points)
	l.to = l.first(points, 0, cfg.Points)
	all := make([]parts.Exact, l.numbers())
	took := timed(func() {
		for !l.done() {
			clear(all)
			for lo := 0; lo < cfg.Points; lo += batchPoints {
				hi := min(lo+batchPoints, cfg.Points)
				l.assignBatch(points[lo*d:hi*d], l.labels[lo:hi], sums, all)
			}
			l.step(all)
			cfg.Advance(1)
		}
	})
	cfg.Plant(func() { l.spoil(l.labels) })
	return l.result(took, points, l.labels)
}
