package rows

// Mvt adds a*y1 to x1, and the transpose of a times y2 to x2. The matrix a is n x n.
//
//fagus:parallel
func Mvt(x1, x2 []float64, a [][]float64, y1, y2 []float64, n int) {
	for i := range n {
		for j := range n {
			x1[i] += a[i][j] * y1[j]
		}
	}
	for i := range n {
		for j := range n {
			x2[i] += a[j][i] * y2[j]
		}
	}
}
