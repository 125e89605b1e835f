package rows

// LU factors the n x n matrix a in place without pivoting: L, whose diagonal is 1, is below the
// diagonal, U on and above it. It computes row by row.
//
//fagus:parallel
func LU(a [][]float64, n int) {
	for i := range n {
		for j := range i {
			for k := range j {
				a[i][j] -= a[i][k] * a[k][j]
			}
			a[i][j] /= a[j][j]
		}
		for j := i; j < n; j++ {
			for k := range i {
				a[i][j] -= a[i][k] * a[k][j]
			}
		}
	}
}
