package gemm

import (
	"fmt"
	"slices"
)

const (
	tileRows    = 8
	tileColumns = 16
	blockK      = 256
	blockRows   = 256
)

// Matrix is the right factor of a product, packed for the kernel.
type Matrix struct {
	k, n   int
	panels []float64 // ordered by block of k, then by panel of tileColumns columns
	a      []float64 // buffer for a packed block of A
}

// Pack packs b, which has k rows of n elements and may change afterwards. The result takes as
// much memory as b.
func Pack(b []float64, k, n int) *Matrix {
	m := new(Matrix)
	m.Repack(b, k, n)
	return m
}

// Repack packs b, as Pack does, into the memory of m.
func (m *Matrix) Repack(b []float64, k, n int) {
	if k < 1 || n < 1 || len(b) < k*n {
		panic(fmt.Sprintf("gemm: pack a %d x %d matrix: slice has %d elements, fewer than the matrix", k, n, len(b)))
	}
	columns := (n + tileColumns - 1) / tileColumns
	m.k, m.n, m.panels = k, n, slices.Grow(m.panels[:0], k*columns*tileColumns)[:k*columns*tileColumns]
	if m.a == nil {
		m.a = make([]float64, blockRows*blockK)
	}
	to := m.panels
	for k0 := 0; k0 < k; k0 += blockK {
		for j := 0; j < n; j += tileColumns {
			width := min(tileColumns, n-j)
			for i := k0; i < min(k, k0+blockK); i++ {
				clear(to[copy(to[:tileColumns], b[i*n+j:][:width]):tileColumns])
				to = to[tileColumns:]
			}
		}
	}
}

// AddTo adds A x B to C. Row i of A consists of the k elements of a from i*lda on, and row i of C
// of the n elements of c from i*ldc on. Only one goroutine at a time may use a Matrix.
func (m *Matrix) AddTo(c []float64, ldc int, a []float64, lda, rows int) {
	if rows < 0 || rows > 0 && (lda < m.k && rows > 1 || ldc < m.n && rows > 1 || len(a) < (rows-1)*lda+m.k || len(c) < (rows-1)*ldc+m.n) {
		panic(fmt.Sprintf("gemm: add %d rows of A and C with %d and %d elements, %d and %d apart: slices have %d and %d", rows, m.k, m.n, lda, ldc, len(a), len(c)))
	}
	columns := (m.n + tileColumns - 1) / tileColumns * tileColumns
	for k0 := 0; k0 < m.k; k0 += blockK {
		depth := min(blockK, m.k-k0)
		panels := m.panels[k0*columns:][:depth*columns]
		for i := 0; i < rows; i += blockRows {
			height := min(blockRows, rows-i)
			packRows(m.a, a[i*lda+k0:], lda, height, depth)
			m.block(c[i*ldc:], ldc, panels, height, depth)
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

// block adds the product of the packed rows of A and the panels of B to c.
func (m *Matrix) block(c []float64, ldc int, panels []float64, rows, depth int) {
	var edge [tileRows * tileColumns]float64
	for j := 0; j < m.n; j += tileColumns {
		panel := panels[j*depth:][:depth*tileColumns]
		width := min(tileColumns, m.n-j)
		for i := 0; i < rows; i += tileRows {
			height := min(tileRows, rows-i)
			packed := m.a[i*depth:][:depth*tileRows]
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
