package polybench

// Jacobi1D smooths the n points of a in 2*steps sweeps; b holds the points after every odd sweep.
//
//fagus:parallel
func Jacobi1D(a, b []float64, n, steps int) {
	for range steps {
		for i := 1; i < n-1; i++ {
			b[i] = 0.33333 * (a[i-1] + a[i] + a[i+1])
		}
		for i := 1; i < n-1; i++ {
			a[i] = 0.33333 * (b[i-1] + b[i] + b[i+1])
		}
	}
}
