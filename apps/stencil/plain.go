package stencil

import (
	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// Plain runs the kernel without Fagus. cfg must be valid. It needs only one input grid: a row
// grows in place as soon as no star reads it any more.
func Plain(cfg Config, timed verify.Timer) prk.Result {
	input, out := make([]float64, cfg.N*cfg.N), make([]float64, cfg.N*cfg.N)
	row := func(i int) []float64 { return input[i*cfg.N:][:cfg.N] }
	for i := range cfg.N {
		begin(row(i), i)
	}
	took := cfg.Loop.Plain(timed, func() {
		for i := range cfg.N + cfg.Radius {
			if i >= cfg.Radius && i < cfg.N-cfg.Radius {
				star(out[i*cfg.N:][:cfg.N], row, i, cfg.Radius)
			}
			if behind := i - cfg.Radius; behind >= 0 {
				grow(row(behind), row(behind))
			}
		}
	})
	cfg.Plant(func() { cfg.spoil(out) })
	norm := norm(out)
	return cfg.result(took, &norm)
}
