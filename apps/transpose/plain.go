package transpose

import (
	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// Plain runs the kernel without Fagus. cfg must be valid. It needs only one A: after some columns
// have been transposed they grow while they are in the cache.
func Plain(cfg Config, timed verify.Timer) prk.Result {
	a, b := make([]float64, cfg.N*cfg.N), make([]float64, cfg.N*cfg.N)
	begin(a, 0)
	took := cfg.Loop.Plain(timed, func() {
		for lo := 0; lo < cfg.N; lo += tile {
			columns := a[lo*cfg.N : min(lo+tile, cfg.N)*cfg.N]
			addTransposed(b, cfg.N, lo, columns, cfg.N)
			grow(columns, columns)
		}
	})
	cfg.Plant(func() { b[len(b)-1]++ })
	return cfg.result(took, cfg.differences(b, 0))
}
