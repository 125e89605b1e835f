package transpose

import (
	"github.com/fagus-dsm/fagus/apps/prk"
	"github.com/fagus-dsm/fagus/apps/verify"
)

// Plain is the kernel without Fagus, of a Config that is valid. One A is enough, some columns of which grow while they
// are in the cache.
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
	if cfg.Spoil {
		b[len(b)-1]++
	}
	return cfg.result(took, cfg.differences(b, 0))
}
