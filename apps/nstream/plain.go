package nstream

import (
	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// Plain runs the kernel without Fagus. cfg must be valid.
func Plain(cfg Config, timed verify.Timer) prk.Result {
	a, b, c := make([]float64, cfg.Length), make([]float64, cfg.Length), make([]float64, cfg.Length)
	fill(b)
	fill(c)
	took := cfg.Loop.Plain(timed, func() { triad(a, b, c) })
	cfg.Plant(func() { cfg.spoil(a) })
	return cfg.result(took, total(a))
}
