package polybench

// Trisolv solves l*x = b for x, where l is a lower triangular n x n matrix.
//
//fagus:parallel
func Trisolv(x, l, b []float64, n int) {
	for i := range n {
		x[i] = b[i]
		for j := range i {
			x[i] -= l[i*n+j] * x[j]
		}
		x[i] /= l[i*n+i]
	}
}
