package matmul

import (
	"math/rand/v2"
	"unsafe"

	"github.com/fagus-dsm/fagus/apps/internal/matrix"
)

// input copies m to x. If m is nil it fills x with random numbers in [-1, 1) from a stream of
// seed. The numbers have 24 bits, so both element types hold them exactly.
func input[T Float](x []T, m *matrix.Dense, seed, stream uint64) {
	random := rand.New(rand.NewPCG(seed, stream))
	for i := range x {
		if m != nil {
			x[i] = T(m.Data[i])
		} else {
			x[i] = T(random.Int32N(1<<24)-1<<23) / (1 << 23)
		}
	}
}

// dense copies x to a matrix, which outlives the shared memory of x.
func dense[T Float](x []T, rows, cols int) *matrix.Dense {
	m := &matrix.Dense{Rows: rows, Cols: cols, Data: make([]float64, len(x))}
	for i, v := range x {
		m.Data[i] = float64(v)
	}
	return m
}

func elementBytes[T Float]() int {
	var x T
	return int(unsafe.Sizeof(x))
}
