package ft

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"
)

// TestLines compares transforms of every length, one line and interleaved lines, with the
// definition.
func TestLines(t *testing.T) {
	for n := 8; n <= 512; n *= 2 {
		for _, count := range []int{1, 3} {
			for _, sign := range []float64{1, -1} {
				src := make([]complex128, n*count)
				for i := range src {
					src[i] = complex(float64(i*i%17), float64(i%5))
				}
				kept := slices.Clone(src)
				got := make([]complex128, len(src))
				newFFT(n, sign).lines(got, src, make([]complex128, len(src)), count)
				if !slices.Equal(src, kept) {
					t.Errorf("%d lines of %d: the transform changed its source", count, n)
				}
				for k := range n {
					for line := range count {
						if want := defined(src, n, count, k, line, sign); cmplx.Abs(got[k*count+line]-want) > 1e-10*float64(n) {
							t.Fatalf("%d lines of %d, sign %g: number %d of line %d is %v, want %v", count, n, sign, k, line, got[k*count+line], want)
						}
					}
				}
			}
		}
	}
}

// defined returns number k of the transform of a line, computed by the definition.
func defined(src []complex128, n, count, k, line int, sign float64) (sum complex128) {
	for j := range n {
		sum += src[j*count+line] * cmplx.Rect(1, sign*2*math.Pi*float64(j*k%n)/float64(n))
	}
	return sum
}
