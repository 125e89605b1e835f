package polybench

import (
	"math"
	"sync"
)

// The functions plainX do what the kernels X do, on two goroutines, as OpenMP would: the
// outermost loop whose iterations are independent is split in two. The functions in
// wavefront_test.go also change the order of loops.

// halves calls body for each half of lo to hi-1, on two goroutines, and returns when both are
// done.
func halves(lo, hi int, body func(lo, hi int)) {
	if hi <= lo {
		return
	}
	var second sync.WaitGroup
	mid := (lo + hi) / 2
	second.Go(func() { body(mid, hi) })
	body(lo, mid)
	second.Wait()
}

// each calls body for every i from lo to hi-1; two goroutines have one half each.
func each(lo, hi int, body func(i int)) {
	halves(lo, hi, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			body(i)
		}
	})
}

// turns calls body for every i from lo to hi-1; two goroutines take turns. It balances loops
// whose iterations grow or shrink.
func turns(lo, hi int, body func(i int)) {
	halves(0, 2, func(first, _ int) {
		for i := lo + first; i < hi; i += 2 {
			body(i)
		}
	})
}

func plainCorrelation(data, corr []float64, n, m int) {
	mean, stddev := make([]float64, m), make([]float64, m)
	halves(0, m, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			for i := range n {
				mean[j] += data[i*m+j]
			}
			mean[j] /= float64(n)
		}
		for j := lo; j < hi; j++ {
			for i := range n {
				d := data[i*m+j] - mean[j]
				stddev[j] += d * d
			}
			stddev[j] = math.Sqrt(stddev[j] / float64(n))
			if stddev[j] <= 0.1 {
				stddev[j] = 1
			}
		}
	})
	each(0, n, func(i int) {
		for j := range m {
			data[i*m+j] = (data[i*m+j] - mean[j]) / (math.Sqrt(float64(n)) * stddev[j])
		}
	})
	turns(0, m, func(i int) {
		corr[i*m+i] = 1
		for j := i + 1; j < m; j++ {
			sum := 0.0
			for k := range n {
				sum += data[k*m+i] * data[k*m+j]
			}
			corr[i*m+j] = sum
			corr[j*m+i] = sum
		}
	})
}

func plainCovariance(data, cov []float64, n, m int) {
	mean := make([]float64, m)
	each(0, m, func(j int) {
		for i := range n {
			mean[j] += data[i*m+j]
		}
		mean[j] /= float64(n)
	})
	each(0, n, func(i int) {
		for j := range m {
			data[i*m+j] -= mean[j]
		}
	})
	turns(0, m, func(i int) {
		for j := i; j < m; j++ {
			sum := 0.0
			for k := range n {
				sum += data[k*m+i] * data[k*m+j]
			}
			cov[i*m+j] = sum / float64(n-1)
			cov[j*m+i] = cov[i*m+j]
		}
	})
}

func plainGemm(c, a, b []float64, ni, nj, nk int, alpha, beta float64) {
	each(0, ni, func(i int) {
		for j := range nj {
			c[i*nj+j] *= beta
		}
		for k := range nk {
			for j := range nj {
				c[i*nj+j] += alpha * a[i*nk+k] * b[k*nj+j]
			}
		}
	})
}

func plainTwoMM(d, a, b, c []float64, ni, nj, nk, nl int, alpha, beta float64) {
	tmp := make([]float64, ni*nj)
	each(0, ni, func(i int) {
		for j := range nj {
			for k := range nk {
				tmp[i*nj+j] += alpha * a[i*nk+k] * b[k*nj+j]
			}
		}
	})
	each(0, ni, func(i int) {
		for j := range nl {
			d[i*nl+j] *= beta
			for k := range nj {
				d[i*nl+j] += tmp[i*nj+k] * c[k*nl+j]
			}
		}
	})
}

// plainProduct sets row i of c = a*b, where b is nk x nj.
func plainProduct(c, a, b []float64, i, nj, nk int) {
	for j := range nj {
		c[i*nj+j] = 0
		for k := range nk {
			c[i*nj+j] += a[i*nk+k] * b[k*nj+j]
		}
	}
}

func plainThreeMM(g, a, b, c, d []float64, ni, nj, nk, nl, nm int) {
	e, f := make([]float64, ni*nj), make([]float64, nj*nl)
	each(0, ni, func(i int) { plainProduct(e, a, b, i, nj, nk) })
	each(0, nj, func(i int) { plainProduct(f, c, d, i, nl, nm) })
	each(0, ni, func(i int) { plainProduct(g, e, f, i, nl, nj) })
}

// inParts calls body for each half of 0 to n-1 with a slice of its own instead of sum, and adds
// the slices to sum.
func inParts(sum []float64, n int, body func(part []float64, lo, hi int)) {
	var mu sync.Mutex
	halves(0, n, func(lo, hi int) {
		part := make([]float64, len(sum))
		body(part, lo, hi)
		mu.Lock()
		defer mu.Unlock()
		for j := range sum {
			sum[j] += part[j]
		}
	})
}

func plainAtax(y, a, x []float64, m, n int) {
	clear(y)
	inParts(y, m, func(y []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			ax := 0.0
			for j := range n {
				ax += a[i*n+j] * x[j]
			}
			for j := range n {
				y[j] += a[i*n+j] * ax
			}
		}
	})
}

func plainBicg(s, q, a, p, r []float64, n, m int) {
	clear(s)
	inParts(s, n, func(s []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			q[i] = 0
			for j := range m {
				s[j] += r[i] * a[i*m+j]
				q[i] += a[i*m+j] * p[j]
			}
		}
	})
}

func plainDoitgen(a, c []float64, nr, nq, np int) {
	halves(0, nr, func(lo, hi int) {
		sum := make([]float64, np)
		for r := lo; r < hi; r++ {
			for q := range nq {
				for p := range np {
					sum[p] = 0
					for s := range np {
						sum[p] += a[(r*nq+q)*np+s] * c[s*np+p]
					}
				}
				copy(a[(r*nq+q)*np:], sum)
			}
		}
	})
}

func plainMvt(x1, x2, a, y1, y2 []float64, n int) {
	each(0, n, func(i int) {
		for j := range n {
			x1[i] += a[i*n+j] * y1[j]
		}
	})
	each(0, n, func(i int) {
		for j := range n {
			x2[i] += a[j*n+i] * y2[j]
		}
	})
}

func plainGemver(a, u1, v1, u2, v2, w, x, y, z []float64, n int, alpha, beta float64) {
	each(0, n, func(i int) {
		for j := range n {
			a[i*n+j] += u1[i]*v1[j] + u2[i]*v2[j]
		}
	})
	each(0, n, func(i int) {
		for j := range n {
			x[i] += beta * a[j*n+i] * y[j]
		}
		x[i] += z[i]
	})
	each(0, n, func(i int) {
		for j := range n {
			w[i] += alpha * a[i*n+j] * x[j]
		}
	})
}

func plainGesummv(y, a, b, x []float64, n int, alpha, beta float64) {
	each(0, n, func(i int) {
		sa, sb := 0.0, 0.0
		for j := range n {
			sa += a[i*n+j] * x[j]
			sb += b[i*n+j] * x[j]
		}
		y[i] = alpha*sa + beta*sb
	})
}

func plainSymm(c, a, b []float64, m, n int, alpha, beta float64) {
	halves(0, n, func(lo, hi int) {
		for i := range m {
			for j := lo; j < hi; j++ {
				sum := 0.0
				for k := range i {
					c[k*n+j] += alpha * b[i*n+j] * a[i*m+k]
					sum += b[k*n+j] * a[i*m+k]
				}
				c[i*n+j] = beta*c[i*n+j] + alpha*b[i*n+j]*a[i*m+i] + alpha*sum
			}
		}
	})
}

func plainSyr2k(c, a, b []float64, n, m int, alpha, beta float64) {
	turns(0, n, func(i int) {
		for j := 0; j <= i; j++ {
			c[i*n+j] *= beta
		}
		for k := range m {
			for j := 0; j <= i; j++ {
				c[i*n+j] += a[j*m+k]*alpha*b[i*m+k] + b[j*m+k]*alpha*a[i*m+k]
			}
		}
	})
}

func plainSyrk(c, a []float64, n, m int, alpha, beta float64) {
	turns(0, n, func(i int) {
		for j := 0; j <= i; j++ {
			c[i*n+j] *= beta
		}
		for k := range m {
			for j := 0; j <= i; j++ {
				c[i*n+j] += alpha * a[i*m+k] * a[j*m+k]
			}
		}
	})
}

func plainTrmm(b, a []float64, m, n int, alpha float64) {
	halves(0, n, func(lo, hi int) {
		for i := range m {
			for j := lo; j < hi; j++ {
				for k := i + 1; k < m; k++ {
					b[i*n+j] += a[k*m+i] * b[k*n+j]
				}
				b[i*n+j] *= alpha
			}
		}
	})
}

func plainDurbin(y, r []float64, n int) {
	z := make([]float64, n)
	alpha, beta := -r[0], 1.0
	y[0] = alpha
	for k := 1; k < n; k++ {
		beta *= 1 - alpha*alpha
		sum := []float64{0}
		inParts(sum, k, func(part []float64, lo, hi int) {
			for i := lo; i < hi; i++ {
				part[0] += r[k-i-1] * y[i]
			}
		})
		now := -(r[k] + sum[0]) / beta
		alpha = now
		halves(0, k, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				z[i] = y[i] + now*y[k-i-1]
			}
		})
		copy(y, z[:k])
		y[k] = alpha
	}
}

func plainGramschmidt(a, r, q []float64, m, n int) {
	for k := range n {
		norm := 0.0
		for i := range m {
			norm += a[i*n+k] * a[i*n+k]
		}
		r[k*n+k] = math.Sqrt(norm)
		for i := range m {
			q[i*n+k] = a[i*n+k] / r[k*n+k]
		}
		each(k+1, n, func(j int) {
			r[k*n+j] = 0
			for i := range m {
				r[k*n+j] += q[i*n+k] * a[i*n+j]
			}
			for i := range m {
				a[i*n+j] -= q[i*n+k] * r[k*n+j]
			}
		})
	}
}
