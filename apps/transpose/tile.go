package transpose

import "math"

// tile is the side of the squares that are transposed in the cache.
const tile = 32

// addTransposed adds the transpose of a block of A to columns of B. Columns of the block have
// height elements, and columns of B have n. Column i of the block is added to row lo+i of B.
func addTransposed(b []float64, n, lo int, block []float64, height int) {
	if len(block) == 0 {
		return
	}
	width := len(block) / height
	var square [tile * tile]float64
	for i0 := 0; i0 < width; i0 += tile {
		columns := min(tile, width-i0)
		for j0 := 0; j0 < height; j0 += tile {
			rows := min(tile, height-j0)
			// Copy through a square, so that both A and B are accessed along their columns. If A
			// were accessed along its rows, and its columns had a power of 2 elements, all
			// accesses would map to the same set of the cache.
			for i := range columns {
				from := block[(i0+i)*height+j0:][:rows]
				for j, x := range from {
					square[(j*tile+i)&(tile*tile-1)] = x
				}
			}
			for j := range rows {
				to := b[(j0+j)*n+lo+i0:][:columns]
				from := square[j*tile:][:len(to)]
				for i, x := range from {
					to[i] += x
				}
			}
		}
	}
}

// begin writes consecutive numbers, starting with first, to a part of a column of A.
func begin(column []float64, first int) {
	for i := range column {
		column[i] = float64(first + i)
	}
}

// grow computes elements of the next A. to and from may be the same memory.
func grow(to, from []float64) {
	from = from[:len(to)]
	for i := range to {
		to[i] = from[i] + 1
	}
}

// differences returns the sum of the absolute errors of some columns of B, from column lo on.
func (c *Config) differences(b []float64, lo int) (sum float64) {
	times := float64(c.Total())
	addit := times * float64(c.Iterations) / 2
	for at, x := range b {
		i, j := at%c.N, lo+at/c.N
		sum += math.Abs(x - (float64(c.N*i+j)*times + addit))
	}
	return sum
}
