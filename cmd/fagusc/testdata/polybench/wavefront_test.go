package polybench

import "math"

// These functions change the order of loops so that one can be split: the factorizations and
// Trisolv subtract the product with row or column k from all that follows, and Nussinov and
// Seidel2D go along diagonals. The operations on each element have the order of the sequential
// function.

func plainCholesky(a []float64, n int) {
	for k := range n {
		a[k*n+k] = math.Sqrt(a[k*n+k])
		each(k+1, n, func(i int) { a[i*n+k] /= a[k*n+k] })
		turns(k+1, n, func(i int) {
			for j := k + 1; j <= i; j++ {
				a[i*n+j] -= a[i*n+k] * a[j*n+k]
			}
		})
	}
}

func plainLU(a []float64, n int) {
	for k := range n {
		each(k+1, n, func(i int) {
			a[i*n+k] /= a[k*n+k]
			for j := k + 1; j < n; j++ {
				a[i*n+j] -= a[i*n+k] * a[k*n+j]
			}
		})
	}
}

func plainLudcmp(x, a, b []float64, n int) {
	plainLU(a, n)
	y := make([]float64, n)
	for i := range n {
		w := b[i]
		for j := range i {
			w -= a[i*n+j] * y[j]
		}
		y[i] = w
	}
	for i := n - 1; i >= 0; i-- {
		w := y[i]
		for j := i + 1; j < n; j++ {
			w -= a[i*n+j] * x[j]
		}
		x[i] = w / a[i*n+i]
	}
}

func plainTrisolv(x, l, b []float64, n int) {
	copy(x, b)
	for j := range n {
		x[j] /= l[j*n+j]
		halves(j+1, n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				x[i] -= l[i*n+j] * x[j]
			}
		})
	}
}

func plainNussinov(table, seq []int, n int) {
	for d := 1; d < n; d++ {
		each(0, n-d, func(i int) {
			j := i + d
			best := max(table[i*n+j], table[i*n+j-1], table[(i+1)*n+j])
			if i < j-1 && seq[i]+seq[j] == 3 {
				best = max(best, table[(i+1)*n+j-1]+1)
			} else {
				best = max(best, table[(i+1)*n+j-1])
			}
			for k := i + 1; k < j; k++ {
				best = max(best, table[i*n+k]+table[(k+1)*n+j])
			}
			table[i*n+j] = best
		})
	}
}

// plainSeidel2D computes all points with equal 2*i+j at once: each depends only on points with
// less.
func plainSeidel2D(a []float64, n, steps int) {
	for range steps {
		for wave := 3; wave <= 3*(n-2); wave++ {
			halves(max(1, (wave-n+3)/2), min(n-2, (wave-1)/2)+1, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					j := wave - 2*i
					a[i*n+j] = (a[(i-1)*n+j-1] + a[(i-1)*n+j] + a[(i-1)*n+j+1] +
						a[i*n+j-1] + a[i*n+j] + a[i*n+j+1] +
						a[(i+1)*n+j-1] + a[(i+1)*n+j] + a[(i+1)*n+j+1]) / 9
				}
			})
		}
	}
}
