package matmul

import "github.com/fagus-dsm/fagus/apps/gemm"

// factor is B as the kernel of its element type wants it.
type factor[T Float] struct {
	b      []T
	k, n   int
	packed *gemm.Matrix // of float64
}

func newFactor[T Float](b []T, k, n int) *factor[T] {
	f := &factor[T]{b: b, k: k, n: n}
	if wide, ok := any(b).([]float64); ok {
		f.packed = gemm.Pack(wide, k, n)
	}
	return f
}

// chunkRows is how many rows a rank multiplies between two looks at whether the run goes on: some 10
// ms, or as many as make good use of the caches.
func (f *factor[T]) chunkRows() int {
	if f.packed == nil {
		return max(2, 1<<26/(f.k*f.n))
	}
	return max(128, 1<<28/(f.k*f.n))
}

// addTo adds A x B to some rows of C, which are apart rows from each other.
func (f *factor[T]) addTo(c, a []T, rows []int, apart int) {
	if f.packed == nil {
		multiply(c, a, f.b, f.k, f.n, rows)
		return
	}
	first := rows[0]
	f.packed.AddTo(any(c).([]float64)[first*f.n:], apart*f.n, any(a).([]float64)[first*f.k:], apart*f.k, len(rows))
}
