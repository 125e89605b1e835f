package bench

import "testing"

// TestMultiply compares C with the result of three plain loops, for several sizes. All numbers
// are small integers, so nothing is rounded.
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

// TestGemm compares products of Gemm with products of multiply.
func TestGemm(t *testing.T) {
	const order = 37
	g, want := NewGemm(order), make([]float64, order*order)
	multiply(want, g.a, g.b, order)
	for range 2 {
		g.Clear()
		g.Multiply()
		for i, x := range want {
			if diff := g.c[i] - x; diff > 1e-9 || diff < -1e-9 {
				t.Fatalf("element %d is %v, want %v", i, g.c[i], x)
			}
		}
	}
	if GemmKernel() == "" {
		t.Error("the kernel has no name")
	}
}
