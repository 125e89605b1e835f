package kernels

import "math"

// Matmul makes c the product of a and b, all of order n.
//
//fagus:parallel
func Matmul(a, b, c []float64, n int) {
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			c[i*n+j] = 0
		}
		for k := 0; k < n; k++ {
			x := a[i*n+k]
			for j := 0; j < n; j++ {
				c[i*n+j] += x * b[k*n+j]
			}
		}
	}
}

// Transpose makes b the transpose of a, of order n.
//
//fagus:parallel
func Transpose(a, b []float64, n int) {
	for i := range n {
		for j := range n {
			b[j*n+i] = a[i*n+j]
		}
	}
}

// LU factors a matrix of order n without pivoting: below the diagonal is then L, and U else.
//
//fagus:parallel
func LU(a []float64, n int) {
	for k := 0; k < n-1; k++ {
		for i := k + 1; i < n; i++ {
			f := a[i*n+k] / a[k*n+k]
			a[i*n+k] = f
			for j := k + 1; j < n; j++ {
				a[i*n+j] -= f * a[k*n+j]
			}
		}
	}
}

// Solve solves l*x = b, where l is lower triangular of order n, and x is b before.
//
//fagus:parallel
func Solve(l, x []float64, n int) {
	for j := 0; j < n; j++ {
		x[j] /= l[j*n+j]
		for i := j + 1; i < n; i++ {
			x[i] -= l[i*n+j] * x[j]
		}
	}
}

// FloydWarshall makes of distances between n places, of which that of a place to itself is not negative, the lengths of shortest paths.
//
//fagus:parallel
func FloydWarshall(d []float64, n int) {
	for k := 0; k < n; k++ {
		for i := 0; i < n; i++ {
			if i == k {
				continue // no path to k is shorter by way of k
			}
			for j := 0; j < n; j++ {
				d[i*n+j] = math.Min(d[i*n+j], d[i*n+k]+d[k*n+j])
			}
		}
	}
}
