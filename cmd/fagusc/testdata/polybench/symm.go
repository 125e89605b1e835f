package polybench

// Symm sets c = alpha*a*b + beta*c, where a is a symmetric m x m matrix of which only the lower
// triangle is read, and b and c are m x n. Like the reference BLAS, it reads each element of a
// once.
//
//fagus:parallel
func Symm(c, a, b []float64, m, n int, alpha, beta float64) {
	for i := range m {
		for j := range n {
			sum := 0.0
			for k := range i {
				c[k*n+j] += alpha * b[i*n+j] * a[i*m+k]
				sum += b[k*n+j] * a[i*m+k]
			}
			c[i*n+j] = beta*c[i*n+j] + alpha*b[i*n+j]*a[i*m+i] + alpha*sum
		}
	}
}
