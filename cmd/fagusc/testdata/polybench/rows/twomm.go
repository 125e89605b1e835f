package rows

// TwoMM sets d = alpha*a*b*c + beta*d. The matrix a is ni x nk, b is nk x nj, c is nj x nl, and
// d is ni x nl.
//
//fagus:parallel
func TwoMM(d, a, b, c [][]float64, ni, nj, nk, nl int, alpha, beta float64) {
	tmp := make([][]float64, ni)
	for i := range tmp {
		tmp[i] = make([]float64, nj)
	}
	for i := range ni {
		for j := range nj {
			for k := range nk {
				tmp[i][j] += alpha * a[i][k] * b[k][j]
			}
		}
	}
	for i := range ni {
		for j := range nl {
			d[i][j] *= beta
			for k := range nj {
				d[i][j] += tmp[i][k] * c[k][j]
			}
		}
	}
}
