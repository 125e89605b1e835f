package transpose

// tile is the length of the squares that are turned in the cache.
const tile = 32

// addTransposed adds a block of A, whose columns have height rows each, to columns of B, which are
// n long: column i of the block to row lo+i of B.
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
			// By way of a square, so that both A and B are walked along their columns: across
			// them, columns of a power of 2 would all fall on one set of the cache.
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

// begin makes numbers of A that lie one after another, of which the first is this.
func begin(column []float64, first int) {
	for i := range column {
		column[i] = float64(first + i)
	}
}

// grow makes numbers of the next A, which may lie where those of this one do.
func grow(to, from []float64) {
	from = from[:len(to)]
	for i := range to {
		to[i] = from[i] + 1
	}
}
