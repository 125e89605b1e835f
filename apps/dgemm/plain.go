package dgemm

import (
	"github.com/fagus-dsm/fagus/apps/internal/gemm"
	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Plain runs the kernel without Fagus. cfg must be valid.
func Plain(cfg Config, timed verify.Timer) prk.Result {
	n := cfg.N
	a, b, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	fill(a, n)
	fill(b, n)
	var product gemm.Product
	took := cfg.Loop.Plain(timed, func() { product.Add(c, n, a, n, n, b, n, n, nil) })
	cfg.Plant(func() { spoil(&cfg, c) })
	var sum parts.Exact
	add(&sum, c)
	return cfg.result(&sum, took)
}
