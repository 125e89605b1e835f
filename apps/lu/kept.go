package lu

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// keep has checkpoints include this rank's columns, by block: so another number of ranks can
// resume.
func (f *factors) keep() {
	if !f.node.Checkpoints() {
		return
	}
	blocks := make([][]float64, f.Steps()) // by block of columns: row by row; nil if another rank's
	for k := range blocks {
		if f.owns(k) {
			blocks[k] = make([]float64, f.N*f.width(k))
		}
		fagus.Keep(f.node, fmt.Sprintf("columns.%d", k), &blocks[k], 0, f.N*f.width(k))
	}
	f.node.OnCheckpoint(func() { f.each(blocks, func(kept, mine []float64) { copy(kept, mine) }) })
	f.node.OnResume(func() { f.each(blocks, func(kept, mine []float64) { copy(mine, kept) }) })
}

// each calls copy for every row of this rank's blocks.
func (f *factors) each(blocks [][]float64, copy func(kept, mine []float64)) {
	for k, block := range blocks {
		if !f.owns(k) {
			continue
		}
		first, width := f.first(k), f.width(k)
		for i := range f.N {
			copy(block[i*width:][:width], f.mine[i*f.columns+first:][:width])
		}
	}
}
