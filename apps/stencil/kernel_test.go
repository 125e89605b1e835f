package stencil

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRows: the kernels compute what their definitions do, for rows of any length at any place.
func TestRows(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	row := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = random.NormFloat64()
		}
		return x
	}
	for n := range 70 {
		out, up, down, left, right := row(n), row(n), row(n), row(n), row(n + 1)[1:]
		want := slices.Clone(out)
		goAdd(want, up, down, left, right, 0.3)
		if add(out, up, down, left, right, 0.3); !slices.Equal(out, want) {
			t.Errorf("add of %d numbers: %v, want %v", n, out, want)
		}
		want = make([]float64, n)
		goGrow(want, up)
		if grow(up, up); !slices.Equal(up, want) {
			t.Errorf("grow of %d numbers: %v, want %v", n, up, want)
		}
	}
}
