package gemm

import "math"

// portableTile computes the same as tile, without assembly.
func portableTile(depth int, a, b, c []float64, ldc int) {
	for i := range tileRows {
		row := c[i*ldc:][:tileColumns]
		for k := range depth {
			x := a[k*tileRows+i]
			for j, y := range b[k*tileColumns:][:tileColumns] {
				row[j] = math.FMA(x, y, row[j])
			}
		}
	}
}
