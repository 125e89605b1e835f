package polybench

// Syrk sets the lower triangle of the n x n matrix c to alpha*a*(a transposed) + beta*c. The
// matrix a is n x m.
//
//fagus:parallel
func Syrk(c, a []float64, n, m int, alpha, beta float64) {
	for i := range n {
		for j := 0; j <= i; j++ {
			c[i*n+j] *= beta
		}
		for k := range m {
			for j := 0; j <= i; j++ {
				c[i*n+j] += alpha * a[i*m+k] * a[j*m+k]
			}
		}
	}
}
