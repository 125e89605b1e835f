package polybench

// Gemver adds u1*v1 and u2*v2, products of a column and a row, to the n x n matrix a, then sets
// x = x + beta*(the transpose of a)*y + z, and adds alpha*a*x to w.
//
//fagus:parallel
func Gemver(a, u1, v1, u2, v2, w, x, y, z []float64, n int, alpha, beta float64) {
	for i := range n {
		for j := range n {
			a[i*n+j] += u1[i]*v1[j] + u2[i]*v2[j]
		}
	}
	for i := range n {
		for j := range n {
			x[i] += beta * a[j*n+i] * y[j]
		}
	}
	for i := range n {
		x[i] += z[i]
	}
	for i := range n {
		for j := range n {
			w[i] += alpha * a[i*n+j] * x[j]
		}
	}
}
