package matmul

import "github.com/fagus-dsm/fagus/apps/internal/gemm"

// factor is B in the form that the kernel of its element type needs.
type factor[T Float] struct {
	b      []T
	k, n   int
	packed *gemm.Matrix // B in the form of package gemm, for float64 only
}

func newFactor[T Float](b []T, k, n int) *factor[T] {
	f := &factor[T]{b: b, k: k, n: n}
	if wide, ok := any(b).([]float64); ok {
		f.packed = gemm.Pack(wide, k, n)
	}
	return f
}

// chunkRows returns the number of rows between two checks of Node.Err: about 10 ms of work, but
// at least enough rows to use the caches well. Package gemm reads all of B for each 256 rows, so
// for order 4096 512 rows take 8 % less time than 128. These take up to 0.2 s; of larger orders a
// chunk has fewer rows, because the run must not end late.
func (f *factor[T]) chunkRows() int {
	if f.packed == nil {
		return max(2, 1<<26/(f.k*f.n))
	}
	return max(128, min(512, 1<<33/(f.k*f.n)), 1<<28/(f.k*f.n))
}

// addTo adds A x B to some rows of C. The numbers in rows increase by apart.
func (f *factor[T]) addTo(c, a []T, rows []int, apart int) {
	if f.packed == nil {
		multiply(c, a, f.b, f.k, f.n, rows)
		return
	}
	first := rows[0]
	f.packed.AddTo(any(c).([]float64)[first*f.n:], apart*f.n, any(a).([]float64)[first*f.k:], apart*f.k, len(rows))
}
