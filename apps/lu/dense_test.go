package lu

import (
	"math"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// TestFactorColumns checks that the recursion finds the pivots of factorLeaf and nearly its
// numbers, and that pivoting keeps the elements of L at magnitudes of at most 1.
func TestFactorColumns(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {8, 8}, {9, 9}, {40, 17}, {100, 64}} {
		rows, width := size[0], size[1]
		halved := make([]float64, rows*width)
		for i := range halved {
			halved[i] = float64(int64(verify.Mix(uint64(i+1)))>>11) / (1 << 52)
		}
		plain := append([]float64(nil), halved...)
		got, want := make([]int, width), make([]int, width)
		if a, b := factorColumns(halved, width, 0, width, got), factorLeaf(plain, width, 0, width, want); a != -1 || b != -1 {
			t.Fatalf("%d x %d: no pivot in column %d (recursion) or %d (leaf), want -1", rows, width, a, b)
		}
		for j := range want {
			if got[j] != want[j] {
				t.Fatalf("%d x %d: column %d has pivot %d, want %d", rows, width, j, got[j], want[j])
			}
		}
		for i, x := range halved {
			if math.Abs(x-plain[i]) > 1e-11 {
				t.Errorf("%d x %d: element %d is %g, want %g", rows, width, i, x, plain[i])
			}
			if i/width > i%width && math.Abs(x) > 1 {
				t.Errorf("%d x %d: element %d of L is %g, want a magnitude of at most 1", rows, width, i, x)
			}
		}
	}
}

// TestSingular checks that a column that becomes zero is reported, wherever the recursion meets
// it.
func TestSingular(t *testing.T) {
	const rows, width, zero = 30, 20, 13
	panel := make([]float64, rows*width)
	for i := range panel {
		if i%width != zero {
			panel[i] = float64(int64(verify.Mix(uint64(i+1)))>>11) / (1 << 52)
		}
	}
	if column := factorColumns(panel, width, 0, width, make([]int, width)); column != zero {
		t.Errorf("the first column without a pivot is %d, want %d", column, zero)
	}
}
