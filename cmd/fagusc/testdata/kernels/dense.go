package kernels

import "math"

// Matmul computes c = a*b for square matrices of order n.
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

// Transpose sets b to the transpose of a, of order n.
//
//fagus:parallel
func Transpose(a, b []float64, n int) {
	for i := range n {
		for j := range n {
			b[j*n+i] = a[i*n+j]
		}
	}
}

// LU factors a matrix of order n in place without pivoting: L is below the diagonal, U on and
// above it.
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

// Solve solves l*x = b, where l is lower triangular of order n and x contains b on entry.
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

// FloydWarshall replaces the distances between n nodes by the lengths of shortest paths. The
// distance of a node to itself must not be negative.
//
//fagus:parallel
func FloydWarshall(d []float64, n int) {
	for k := 0; k < n; k++ {
		for i := 0; i < n; i++ {
			if i == k {
				continue // no path to k is shorter via k
			}
			for j := 0; j < n; j++ {
				d[i*n+j] = math.Min(d[i*n+j], d[i*n+k]+d[k*n+j])
			}
		}
	}
}
