package polybench

// Trmm sets b = alpha*(a transposed)*b, where a is a lower triangular m x m matrix with ones on
// the diagonal, and b is m x n.
//
//fagus:parallel
func Trmm(b, a []float64, m, n int, alpha float64) {
	for i := range m {
		for j := range n {
			for k := i + 1; k < m; k++ {
				b[i*n+j] += a[k*m+i] * b[k*n+j]
			}
			b[i*n+j] *= alpha
		}
	}
}
