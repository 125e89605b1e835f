package p2p

import (
	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// Plain runs the kernel without Fagus. cfg must be valid. It computes row after row and needs no
// batches.
func Plain(cfg Config, timed verify.Timer) prk.Result {
	grid := make([]float64, cfg.Rows*cfg.Columns)
	row := func(j int) []float64 { return grid[j*cfg.Columns:][:cfg.Columns] }
	for i := range row(0) {
		grid[i] = float64(i)
	}
	for j := range cfg.Rows {
		row(j)[0] = float64(j)
	}
	corner := &grid[len(grid)-1]
	took := cfg.Loop.Plain(timed, func() {
		for j := 1; j < cfg.Rows; {
			j += follow(func(k int) []float64 { return row(j - 1 + k) }, cfg.Rows-j)
		}
		grid[0] = -*corner
	})
	cfg.Plant(func() { *corner++ })
	return cfg.result(took, *corner)
}
