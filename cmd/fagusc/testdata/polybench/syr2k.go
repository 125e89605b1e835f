package polybench

// Syr2k sets the lower triangle of the n x n matrix c to alpha*a*(b transposed) +
// alpha*b*(a transposed) + beta*c. The matrices a and b are n x m.
//
//fagus:parallel
func Syr2k(c, a, b []float64, n, m int, alpha, beta float64) {
	for i := range n {
		for j := 0; j <= i; j++ {
			c[i*n+j] *= beta
		}
		for k := range m {
			for j := 0; j <= i; j++ {
				c[i*n+j] += a[j*m+k]*alpha*b[i*m+k] + b[j*m+k]*alpha*a[i*m+k]
			}
		}
	}
}
