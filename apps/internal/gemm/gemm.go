package gemm

import "fmt"

const (
	tileRows    = 8
	tileColumns = 16
	blockK      = 512
	blockRows   = 256
	blockWidth  = 1024 // columns
)

// Product adds products of matrices to a matrix. The zero Product is ready for use. It keeps the
// memory for the blocks of the factors that it has packed. Only one goroutine at a time may use it.
type Product struct {
	a, b []float64 // a packed block of A, and one of B
}

// Add adds A x B to C. Row i of A consists of the k elements of a from i*lda on, and row i of C of
// the n elements of c from i*ldc on. b has the k rows of B, n elements each.
//
// If goOn is not nil, Add calls it after each block of at most 256 rows, 1024 columns and 512 k.
// Its argument is the work done so far, as a number of rows. If it returns false, Add returns, and
// C is undefined.
func (p *Product) Add(c []float64, ldc int, a []float64, lda, rows int, b []float64, k, n int, goOn func(rows int) bool) {
	if k < 1 || n < 1 || len(b) < k*n {
		panic(fmt.Sprintf("gemm: multiply by a %d x %d matrix: slice has %d elements, fewer than the matrix", k, n, len(b)))
	}
	if rows < 0 || rows > 0 && (lda < k && rows > 1 || ldc < n && rows > 1 || len(a) < (rows-1)*lda+k || len(c) < (rows-1)*ldc+n) {
		panic(fmt.Sprintf("gemm: add %d rows of A and C with %d and %d elements, %d and %d apart: slices have %d and %d", rows, k, n, lda, ldc, len(a), len(c)))
	}
	if rows == 0 {
		return
	}
	depth := min(blockK, k)
	p.a = grown(p.a, panels(min(blockRows, rows), tileRows)*depth)
	p.b = grown(p.b, panels(min(blockWidth, n), tileColumns)*depth)
	done := 0
	for k0 := 0; k0 < k; k0 += blockK {
		depth := min(blockK, k-k0)
		for j := 0; j < n; j += blockWidth {
			width := min(blockWidth, n-j)
			p.packColumns(b[k0*n+j:], n, width, depth)
			for i := 0; i < rows; i += blockRows {
				height := min(blockRows, rows-i)
				packRows(p.a, a[i*lda+k0:], lda, height, depth)
				p.block(c[i*ldc+j:], ldc, width, height, depth)
				if done += height * width * depth; goOn != nil && !goOn(done/(k*n)) {
					return
				}
			}
		}
	}
}

// panels returns n rounded up to whole panels of size rows or columns.
func panels(n, size int) int { return (n + size - 1) / size * size }

// grown returns buffer if it has n elements, otherwise a new slice.
func grown(buffer []float64, n int) []float64 {
	if len(buffer) < n {
		buffer = make([]float64, n)
	}
	return buffer
}

// packColumns packs n columns of B into panels of tileColumns. It pads the last panel with zeros.
func (p *Product) packColumns(b []float64, ldb, n, depth int) {
	to := p.b[:depth*panels(n, tileColumns)]
	for j := 0; j < n; j += tileColumns {
		width := min(tileColumns, n-j)
		for i := range depth {
			clear(to[copy(to[:tileColumns], b[i*ldb+j:][:width]):tileColumns])
			to = to[tileColumns:]
		}
	}
}

// packRows packs rows of A into panels of tileRows rows. It pads the last panel with zeros.
func packRows(to, a []float64, lda, rows, depth int) {
	for i := 0; i < rows; i += tileRows {
		panel := to[i*depth:][:tileRows*depth]
		if rows-i >= tileRows {
			packTile(panel, a[i*lda:], lda, depth)
			continue
		}
		clear(panel)
		for r := range rows - i {
			for k, x := range a[(i+r)*lda:][:depth] {
				panel[k*tileRows+r] = x
			}
		}
	}
}

// packTile packs tileRows rows into a panel. It copies column by column, to write sequentially.
func packTile(panel, a []float64, lda, depth int) {
	row := func(r int) []float64 { return a[r*lda:][:depth] }
	a0, a1, a2, a3, a4, a5, a6, a7 := row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)
	for k := range a0 {
		to := panel[k*tileRows:][:tileRows]
		to[0], to[1], to[2], to[3] = a0[k], a1[k], a2[k], a3[k]
		to[4], to[5], to[6], to[7] = a4[k], a5[k], a6[k], a7[k]
	}
}

// block adds the product of the packed blocks to c, which has rows of n elements.
func (p *Product) block(c []float64, ldc, n, rows, depth int) {
	var edge [tileRows * tileColumns]float64
	for j := 0; j < n; j += tileColumns {
		panel := p.b[j*depth:][:depth*tileColumns]
		width := min(tileColumns, n-j)
		for i := 0; i < rows; i += tileRows {
			height := min(tileRows, rows-i)
			packed := p.a[i*depth:][:depth*tileRows]
			if width == tileColumns && height == tileRows {
				tile(depth, packed, panel, c[i*ldc+j:], ldc)
				continue
			}
			for r := range height {
				copy(edge[r*tileColumns:][:width], c[(i+r)*ldc+j:])
			}
			tile(depth, packed, panel, edge[:], tileColumns)
			for r := range height {
				copy(c[(i+r)*ldc+j:][:width], edge[r*tileColumns:])
			}
		}
	}
}
