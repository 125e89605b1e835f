package rows

// Atax sets y to the transpose of a times a*x. The matrix a is m x n; x and y have n elements.
//
//fagus:parallel
func Atax(y []float64, a [][]float64, x []float64, m, n int) {
	for j := range n {
		y[j] = 0
	}
	for i := range m {
		ax := 0.0
		for j := range n {
			ax += a[i][j] * x[j]
		}
		for j := range n {
			y[j] += a[i][j] * ax
		}
	}
}
