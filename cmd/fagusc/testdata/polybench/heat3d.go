package polybench

// Heat3D computes 2*steps time steps of the heat equation on the n x n x n grid a; b holds the
// grid after every odd step, and has the same border.
//
//fagus:parallel
func Heat3D(a, b []float64, n, steps int) {
	for range steps {
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				for k := 1; k < n-1; k++ {
					b[(i*n+j)*n+k] = a[(i*n+j)*n+k] +
						0.125*(a[((i+1)*n+j)*n+k]-2*a[(i*n+j)*n+k]+a[((i-1)*n+j)*n+k]) +
						0.125*(a[(i*n+j+1)*n+k]-2*a[(i*n+j)*n+k]+a[(i*n+j-1)*n+k]) +
						0.125*(a[(i*n+j)*n+k+1]-2*a[(i*n+j)*n+k]+a[(i*n+j)*n+k-1])
				}
			}
		}
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				for k := 1; k < n-1; k++ {
					a[(i*n+j)*n+k] = b[(i*n+j)*n+k] +
						0.125*(b[((i+1)*n+j)*n+k]-2*b[(i*n+j)*n+k]+b[((i-1)*n+j)*n+k]) +
						0.125*(b[(i*n+j+1)*n+k]-2*b[(i*n+j)*n+k]+b[(i*n+j-1)*n+k]) +
						0.125*(b[(i*n+j)*n+k+1]-2*b[(i*n+j)*n+k]+b[(i*n+j)*n+k-1])
				}
			}
		}
	}
}
