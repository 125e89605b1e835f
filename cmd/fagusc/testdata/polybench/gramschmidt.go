package polybench

import "math"

// Gramschmidt sets q, m x n, and r, n x n, so that q*r is the former m x n matrix a, q has
// orthonormal columns, and r is upper triangular. It changes a.
//
//fagus:parallel
func Gramschmidt(a, r, q []float64, m, n int) {
	for k := range n {
		norm := 0.0
		for i := range m {
			norm += a[i*n+k] * a[i*n+k]
		}
		r[k*n+k] = math.Sqrt(norm)
		for i := range m {
			q[i*n+k] = a[i*n+k] / r[k*n+k]
		}
		for j := k + 1; j < n; j++ {
			r[k*n+j] = 0
			for i := range m {
				r[k*n+j] += q[i*n+k] * a[i*n+j]
			}
			for i := range m {
				a[i*n+j] -= q[i*n+k] * r[k*n+j]
			}
		}
	}
}
