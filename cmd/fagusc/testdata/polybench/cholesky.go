package polybench

import "math"

// Cholesky replaces the lower triangle of the positive definite n x n matrix a by its factor L:
// the former a is L*(L transposed).
//
//fagus:parallel
func Cholesky(a []float64, n int) {
	for i := range n {
		for j := range i {
			for k := range j {
				a[i*n+j] -= a[i*n+k] * a[j*n+k]
			}
			a[i*n+j] /= a[j*n+j]
		}
		for k := range i {
			a[i*n+i] -= a[i*n+k] * a[i*n+k]
		}
		a[i*n+i] = math.Sqrt(a[i*n+i])
	}
}
