package polybench

// TwoMM sets d = alpha*a*b*c + beta*d. The matrix a is ni x nk, b is nk x nj, c is nj x nl, and
// d is ni x nl.
//
//fagus:parallel
func TwoMM(d, a, b, c []float64, ni, nj, nk, nl int, alpha, beta float64) {
	tmp := make([]float64, ni*nj)
	for i := range ni {
		for j := range nj {
			for k := range nk {
				tmp[i*nj+j] += alpha * a[i*nk+k] * b[k*nj+j]
			}
		}
	}
	for i := range ni {
		for j := range nl {
			d[i*nl+j] *= beta
			for k := range nj {
				d[i*nl+j] += tmp[i*nj+k] * c[k*nl+j]
			}
		}
	}
}
