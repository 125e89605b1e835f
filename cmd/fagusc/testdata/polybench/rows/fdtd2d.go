package rows

// FDTD2D computes steps time steps of Maxwell's equations in the plane by finite differences. The
// fields ex, ey and hz are nx x ny; fict[t] is the value of ey at the edge in step t.
//
//fagus:parallel
func FDTD2D(ex, ey, hz [][]float64, fict []float64, nx, ny, steps int) {
	for t := range steps {
		for j := range ny {
			ey[0][j] = fict[t]
		}
		for i := 1; i < nx; i++ {
			for j := 0; j < ny; j++ {
				ey[i][j] -= 0.5 * (hz[i][j] - hz[i-1][j])
			}
		}
		for i := 0; i < nx; i++ {
			for j := 1; j < ny; j++ {
				ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j-1])
			}
		}
		for i := 0; i < nx-1; i++ {
			for j := 0; j < ny-1; j++ {
				hz[i][j] -= 0.7 * (ex[i][j+1] - ex[i][j] + ey[i+1][j] - ey[i][j])
			}
		}
	}
}
