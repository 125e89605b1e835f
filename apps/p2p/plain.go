package p2p

import (
	"github.com/fagus-dsm/fagus/apps/prk"
	"github.com/fagus-dsm/fagus/apps/verify"
)

// Plain is the kernel without Fagus, of a Config that is valid: row after row, as nobody waits for a batch.
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
		for j := 1; j < cfg.Rows; j++ {
			follow(row(j), row(j-1))
		}
		grid[0] = -*corner
	})
	if cfg.Spoil {
		*corner++
	}
	return cfg.result(took, *corner)
}
