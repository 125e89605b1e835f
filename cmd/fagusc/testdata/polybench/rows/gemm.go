package rows

// Gemm sets c = alpha*a*b + beta*c. The matrix a is ni x nk, b is nk x nj, and c is ni x nj.
//
//fagus:parallel
func Gemm(c, a, b [][]float64, ni, nj, nk int, alpha, beta float64) {
	for i := range ni {
		for j := range nj {
			c[i][j] *= beta
		}
		for k := range nk {
			for j := range nj {
				c[i][j] += alpha * a[i][k] * b[k][j]
			}
		}
	}
}
