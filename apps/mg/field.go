package mg

// field is a periodic cube of n x n x n numbers, of which this rank has some planes: a parts.Grid of
// planes that wraps, or own memory.
type field interface {
	// Row is plane z, row after row.
	Row(z int) []float64
}

// own is a field in the rank's own memory: all planes, or some from lo on.
type own struct {
	numbers []float64
	n, lo   int
}

func newOwn(n, lo, hi int) *own { return &own{make([]float64, (hi-lo)*n*n), n, lo} }

// Row is plane z.
func (o *own) Row(z int) []float64 { return o.numbers[((z-o.lo)&(o.n-1))*o.n*o.n:][:o.n*o.n] }

// row is row y of a plane of n x n numbers, a power of 2.
func row(plane []float64, y, n int) []float64 { return plane[(y&(n-1))*n:][:n:n] }
