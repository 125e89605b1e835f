package polybench

// Bicg sets q = a*p, and s to the transpose of a times r: the products of a step of the BiCGSTAB
// method. The matrix a is n x m; p and s have m elements, q and r have n.
//
//fagus:parallel
func Bicg(s, q, a, p, r []float64, n, m int) {
	for j := range m {
		s[j] = 0
	}
	for i := range n {
		q[i] = 0
		for j := range m {
			s[j] += r[i] * a[i*m+j]
			q[i] += a[i*m+j] * p[j]
		}
	}
}
