package bench

import "testing"

// TestMultiply: the rows of C are those of three plain loops, whatever the sizes. All numbers are
// small and whole, so there is no rounding.
func TestMultiply(t *testing.T) {
	for _, size := range []struct{ rows, n int }{{1, 1}, {2, 3}, {5, 67}, {3, 130}} {
		n := size.n
		a, b, c := make([]float64, size.rows*n), make([]float64, n*n), make([]float64, size.rows*n)
		for i := range a {
			a[i], c[i] = float64(i%11-3), 99
		}
		for i := range b {
			b[i] = float64(i%13 - 5)
		}
		multiply(c, a, b, n)
		for i := range size.rows {
			for j := range n {
				want := 0.0
				for k := range n {
					want += a[i*n+k] * b[k*n+j]
				}
				if c[i*n+j] != want {
					t.Fatalf("%d rows of %d: element %d, %d is %g, want %g", size.rows, n, i, j, c[i*n+j], want)
				}
			}
		}
	}
}
