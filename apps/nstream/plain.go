package nstream

import (
	"github.com/fagus-dsm/fagus/apps/prk"
	"github.com/fagus-dsm/fagus/apps/verify"
)

// Plain is the kernel without Fagus, of a Config that is valid.
func Plain(cfg Config, timed verify.Timer) prk.Result {
	a, b, c := make([]float64, cfg.Length), make([]float64, cfg.Length), make([]float64, cfg.Length)
	fill(b)
	fill(c)
	took := cfg.Loop.Plain(timed, func() { triad(a, b, c) })
	if cfg.Spoil {
		cfg.spoil(a)
	}
	return cfg.result(took, total(a))
}
