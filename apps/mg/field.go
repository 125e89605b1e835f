package mg

import "github.com/fagus-dsm/fagus/apps/internal/matrix"

// field is a periodic cube of n x n x n numbers, some of whose planes this rank can access. It is
// a parts.Grid that wraps around, or private memory.
type field interface {
	// Row returns plane z, row after row. (A plane is a row of a parts.Grid.)
	Row(z int) []float64
}

// own is a field in private memory: all planes, or a block of planes from lo on.
type own struct {
	numbers []float64
	n, lo   int
}

func newOwn(n, lo, hi int) *own    { return &own{make([]float64, (hi-lo)*n*n), n, lo} }
func (o *own) Row(z int) []float64 { return o.numbers[((z-o.lo)&(o.n-1))*o.n*o.n:][:o.n*o.n] }

// row returns row y of a plane of n x n numbers, modulo n, which is a power of 2.
func row(plane []float64, y, n int) []float64 { return plane[(y&(n-1))*n:][:n:n] }

func squares(plane []float64) float64 { return matrix.Dot(plane, plane) }
