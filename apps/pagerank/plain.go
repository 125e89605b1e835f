package pagerank

import (
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Plain ranks the pages without Fagus. cfg must be valid.
func Plain(cfg Config, timed verify.Timer) verify.Result {
	k, pages := ranking{Config: cfg}, cfg.Graph.Pages
	k.have(0, pages)
	from, to := make([]float64, pages), make([]float64, pages)
	round := func(given, gives []float64) {
		all := make([]parts.Exact, totals)
		k.rank(0, pages, given, gives, all)
		k.end(all)
	}
	took := timed(func() {
		for round(nil, from); !k.done(); from, to = to, from {
			round(from, to)
			cfg.Advance(1)
		}
	})
	cfg.Plant(func() { spoil(k.mine) })
	return k.result(took, k.mine)
}
