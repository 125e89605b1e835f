package gemm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// chain computes the expected result of Add, by its definition.
func chain(c []float64, ldc int, a []float64, lda int, b []float64, rows, k, n int) {
	for i := range rows {
		for j := range n {
			for l := range k {
				c[i*ldc+j] = math.FMA(a[i*lda+l], b[l*n+j], c[i*ldc+j])
			}
		}
	}
}

func numbers(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// TestAdd compares Add with chain bit for bit, at the borders of tiles and blocks, and with
// gaps between rows.
func TestAdd(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var p Product // its memory has held other blocks
	for _, rows := range []int{0, 1, 7, 8, 9, 257} {
		for _, k := range []int{1, 2, blockK - 1, blockK + 1} {
			for _, n := range []int{1, 15, 16, 17, 40} {
				lda, ldc := k+rows%3, n+rows%2*5
				a, b, c := numbers(r, rows*lda+k), numbers(r, k*n), numbers(r, rows*ldc+n)
				want := append([]float64(nil), c...)
				chain(want, ldc, a, lda, b, rows, k, n)
				last := 0
				p.Add(c, ldc, a, lda, rows, b, k, n, func(done int) bool {
					if done < last || done > rows {
						t.Errorf("%d x %d times %d x %d: %d rows are done after %d", rows, k, k, n, done, last)
					}
					last = done
					return true
				})
				if last != rows {
					t.Errorf("%d x %d times %d x %d: %d rows are done at the end", rows, k, k, n, last)
				}
				for i := range c {
					if math.Float64bits(c[i]) != math.Float64bits(want[i]) {
						t.Fatalf("%d x %d times %d x %d: element %d is %x, want %x", rows, k, k, n, i, c[i], want[i])
					}
				}
			}
		}
	}
}

// TestKernels checks that all kernels of this processor compute the same tile.
func TestKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, depth := range []int{1, 2, 17} {
		const ldc = 19
		a, b, c := numbers(r, depth*tileRows), numbers(r, depth*tileColumns), numbers(r, tileRows*ldc)
		want := append([]float64(nil), c...)
		portableTile(depth, a, b, want, ldc)
		for name, kernel := range kernels() {
			got := append([]float64(nil), c...)
			kernel(depth, a, b, got, ldc)
			for i := range got {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
					t.Fatalf("%s, depth %d: element %d is %x, want %x", name, depth, i, got[i], want[i])
				}
			}
		}
	}
}

// TestAddStops: Add does no more work when goOn has returned false.
func TestAddStops(t *testing.T) {
	const rows, k, n = 600, 600, 1
	a, b, calls := make([]float64, rows*k), make([]float64, k*n), 0
	new(Product).Add(make([]float64, rows*n), n, a, k, rows, b, k, n, func(int) bool { calls++; return calls < 4 })
	if calls != 4 {
		t.Errorf("goOn was called %d times, and returned false in the fourth call", calls)
	}
}

func BenchmarkAdd(b *testing.B) {
	const n = 1024
	r := rand.New(rand.NewPCG(5, 6))
	x, y, z := numbers(r, n*n), numbers(r, n*n), make([]float64, n*n)
	var p Product
	for b.Loop() {
		p.Add(z, n, x, n, n, y, n, n, nil)
	}
	b.ReportMetric(2*n*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gflop/s")
}
