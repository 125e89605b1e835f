package polybench

// Gesummv sets y = alpha*a*x + beta*b*x. The matrices a and b are n x n.
//
//fagus:parallel
func Gesummv(y, a, b, x []float64, n int, alpha, beta float64) {
	for i := range n {
		sa, sb := 0.0, 0.0
		for j := range n {
			sa += a[i*n+j] * x[j]
			sb += b[i*n+j] * x[j]
		}
		y[i] = alpha*sa + beta*sb
	}
}
