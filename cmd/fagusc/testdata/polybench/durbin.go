package polybench

// Durbin solves the Yule-Walker equations of order n: y is the solution for the autocorrelations
// r.
//
//fagus:parallel
func Durbin(y, r []float64, n int) {
	z := make([]float64, n)
	alpha, beta := -r[0], 1.0
	y[0] = alpha
	for k := 1; k < n; k++ {
		beta *= 1 - alpha*alpha
		sum := 0.0
		for i := range k {
			sum += r[k-i-1] * y[i]
		}
		alpha = -(r[k] + sum) / beta
		for i := range k {
			z[i] = y[i] + alpha*y[k-i-1]
		}
		copy(y, z[:k])
		y[k] = alpha
	}
}
