package polybench

// Seidel2D smooths the n x n points of a in place, in steps sweeps: every point becomes the mean
// of itself and its eight neighbours.
//
//fagus:parallel
func Seidel2D(a []float64, n, steps int) {
	for range steps {
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				a[i*n+j] = (a[(i-1)*n+j-1] + a[(i-1)*n+j] + a[(i-1)*n+j+1] +
					a[i*n+j-1] + a[i*n+j] + a[i*n+j+1] +
					a[(i+1)*n+j-1] + a[(i+1)*n+j] + a[(i+1)*n+j+1]) / 9
			}
		}
	}
}
