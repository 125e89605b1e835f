package rows

// Jacobi2D smooths the n x n points of a in 2*steps sweeps; b holds the points after every odd
// sweep.
//
//fagus:parallel
func Jacobi2D(a, b [][]float64, n, steps int) {
	for range steps {
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				b[i][j] = 0.2 * (a[i][j] + a[i][j-1] + a[i][j+1] + a[i+1][j] + a[i-1][j])
			}
		}
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				a[i][j] = 0.2 * (b[i][j] + b[i][j-1] + b[i][j+1] + b[i+1][j] + b[i-1][j])
			}
		}
	}
}
