package matmul

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// naive is the definition that multiply must match bit for bit.
func naive[T Float](c, a, b []T, k, n int, rows []int) {
	for _, i := range rows {
		for j := range n {
			s := c[i*n+j]
			for l := range k {
				s += T(a[i*k+l] * b[l*n+j])
			}
			c[i*n+j] = s
		}
	}
}

func bits[T Float](x T) uint64 {
	switch v := any(x).(type) {
	case float32:
		return uint64(math.Float32bits(v))
	case float64:
		return math.Float64bits(v)
	}
	panic("not a float")
}

// checkKernel compares multiply with naive on rows, in that order, of an m x n product; C starts
// with random numbers. Rows of A that are not listed are NaN, so reading one would show.
func checkKernel[T Float](t *testing.T, m, k, n int, rows []int) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(m<<20+k), uint64(n)))
	a, b, c := fill[T](r, m, k, uniform), fill[T](r, k, n, uniform), fill[T](r, m, n, uniform)
	for i := range m {
		if !slices.Contains(rows, i) {
			for l := range k {
				a[i*k+l] = T(math.NaN())
			}
		}
	}
	want := slices.Clone(c)
	naive(want, a, b, k, n, rows)
	multiply(c, a, b, k, n, rows)
	for i := range c {
		if bits(c[i]) != bits(want[i]) {
			t.Fatalf("%T, %d x %d times %d x %d, %d rows: C[%d,%d] is %v: want %v", c[i], m, k, k, n, len(rows), i/n, i%n, c[i], want[i])
		}
	}
}

func TestKernelShapes(t *testing.T) {
	edges := []int{0, 1, 2, 3, 5, 17, 64, 65, 129}
	for _, m := range []int{0, 1, 2, 3, 5} {
		for _, k := range edges {
			for _, n := range edges {
				checkKernel[float64](t, m, k, n, firstRows(m))
				checkKernel[float32](t, m, k, n, firstRows(m))
			}
		}
	}
	for _, s := range [][3]int{
		{129, 129, 129}, {65, 513, 17}, {513, 65, 3}, {3, 2, 513}, {17, 513, 513}, {64, 64, 64},
		{3, 5, nPanel - 1}, {2, 7, nPanel}, {3, 66, nPanel + 1}, {5, 131, 2*nPanel + 3}, {2, 1030, 2},
	} {
		checkKernel[float64](t, s[0], s[1], s[2], firstRows(s[0]))
		checkKernel[float32](t, s[0], s[1], s[2], firstRows(s[0]))
	}
}

func TestKernelRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const m = 33
	for range 50 {
		k, n := r.IntN(140), r.IntN(140)
		rows := r.Perm(m)[:r.IntN(m+1)]
		checkKernel[float64](t, m, k, n, rows)
		checkKernel[float32](t, m, k, n, rows)
	}
	for _, nodes := range []int{1, 2, 3, 8} { // multiply the rows of rank 1, or of rank 0 if alone
		var rows []int
		for i := 1 % nodes; i < m; i += nodes {
			rows = append(rows, i)
		}
		checkKernel[float64](t, m, 70, 71, rows)
	}
}

// TestKernelRoundsTwice alternately adds and subtracts a square that is not exact. Subtracting
// the rounded square leaves 0, unless a fused multiply-add has kept its rounding error. C starts
// once at 0 and once at minus the square, so that every addition leaves 0 once.
func TestKernelRoundsTwice(t *testing.T) {
	t.Run("float64", roundsTwice[float64])
	t.Run("float32", roundsTwice[float32])
}

func roundsTwice[T Float](t *testing.T) {
	x := 1 + T(1)/(1<<20) // x*x has a digit 2^-40, which float32 cannot hold
	if _, ok := any(x).(float64); ok {
		x = 1 + T(1)/(1<<40) // and 2^-80, which float64 cannot hold
	}
	square := T(x * x)
	const m = 3
	for shape := range 9 * 4 {
		k, n := shape/4, shape%4
		a, b := make([]T, m*k), make([]T, k*n)
		for i := range a {
			a[i] = x
		}
		for i := range b {
			b[i] = x * T(1-2*(i/n%2)) // row 0 plus, row 1 minus, ...
		}
		for _, start := range []T{0, -square} {
			c := make([]T, m*n)
			for i := range c {
				c[i] = start
			}
			multiply(c, a, b, k, n, firstRows(m))
			want := start + T(k%2)*square
			for i := range c {
				if c[i] != want {
					t.Fatalf("k = %d, n = %d: C[%d] is %v: want %v", k, n, i, c[i], want)
				}
			}
		}
	}
}

// contender is an algorithm that multiplies square matrices: C += A*B.
type contender[T Float] struct {
	name string
	do   func(c, a, b []T, n int)
}

func blocked[T Float]() contender[T] {
	return contender[T]{"blocked", func(c, a, b []T, n int) { multiply(c, a, b, n, n, firstRows(n)) }}
}

func ikj[T Float]() contender[T] { return contender[T]{"ikj", multiplyIKJ[T]} }

// multiplyIKJ is a careful implementation without blocking. If the linker places its short loop
// across a 64-byte line it runs at half speed (Zen 4: 3.3 instead of 6.4 GFLOP/s), and the kernel
// seems twice as good in comparison. The kernel's own loop is too long to be affected. All
// benchmarks run the same copy, because it is not inlined.
//
//go:noinline
func multiplyIKJ[T Float](c, a, b []T, n int) {
	for i := range n {
		row := c[i*n : (i+1)*n]
		for l := range n {
			x, other := a[i*n+l], b[l*n:(l+1)*n]
			for j := range row {
				row[j] += T(x * other[j])
			}
		}
	}
}

func gonum64() contender[float64] {
	return contender[float64]{"gonum", func(c, a, b []float64, n int) {
		g := func(x []float64) blas64.General { return blas64.General{Rows: n, Cols: n, Stride: n, Data: x} }
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, g(a), g(b), 1, g(c))
	}}
}

func gonum32() contender[float32] {
	return contender[float32]{"gonum", func(c, a, b []float32, n int) {
		g := func(x []float32) blas32.General { return blas32.General{Rows: n, Cols: n, Stride: n, Data: x} }
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, g(a), g(b), 1, g(c))
	}}
}

// oneProcessor restricts gonum, which starts goroutines, to one processor.
func oneProcessor(b *testing.B) {
	old := runtime.GOMAXPROCS(1)
	b.Cleanup(func() { runtime.GOMAXPROCS(old) })
}

func gflops(n int, d time.Duration) float64 {
	return 2 * float64(n) * float64(n) * float64(n) / float64(d)
}

func benchmarkKernel[T Float](b *testing.B, contenders ...contender[T]) {
	for _, n := range []int{512, 1024} {
		for _, with := range contenders {
			b.Run(fmt.Sprintf("%T/n=%d/%s", T(0), n, with.name), func(b *testing.B) {
				oneProcessor(b)
				r := rand.New(rand.NewPCG(1, 1))
				x, y, z := fill[T](r, n, n, uniform), fill[T](r, n, n, uniform), make([]T, n*n)
				turns := 0
				for b.Loop() {
					with.do(z, x, y, n)
					turns++
				}
				b.ReportMetric(gflops(n, b.Elapsed()/time.Duration(turns)), "GFLOP/s")
			})
		}
	}
}

func BenchmarkKernel(b *testing.B) {
	benchmarkKernel(b, blocked[float64](), ikj[float64](), gonum64())
	benchmarkKernel(b, blocked[float32](), gonum32())
}

// BenchmarkKernelRatio alternates between the contenders, so that a change of the machine's speed
// affects them all. Ratios are medians over all rounds.
func BenchmarkKernelRatio(b *testing.B) {
	for _, n := range []int{512, 1024} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			oneProcessor(b) // b.Run sets GOMAXPROCS again
			contenders := []contender[float64]{blocked[float64](), ikj[float64](), gonum64()}
			r := rand.New(rand.NewPCG(1, 1))
			x, y, z := fill[float64](r, n, n, uniform), fill[float64](r, n, n, uniform), make([]float64, n*n)
			ratios, times := make([][]float64, len(contenders)), make([]time.Duration, len(contenders))
			for b.Loop() {
				for i, with := range contenders {
					start := time.Now()
					with.do(z, x, y, n)
					times[i] = time.Since(start)
				}
				for i := range contenders {
					ratios[i] = append(ratios[i], times[i].Seconds()/times[0].Seconds())
				}
			}
			for i, with := range contenders[1:] {
				b.ReportMetric(median(ratios[i+1]), with.name+"/blocked")
			}
		})
	}
}

func median[T cmp.Ordered](x []T) T {
	slices.Sort(x)
	return x[len(x)/2]
}
