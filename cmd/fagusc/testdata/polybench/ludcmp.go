package polybench

// Ludcmp solves a*x = b for x. It replaces the n x n matrix a by its factors L and U, as [LU]
// does.
//
//fagus:parallel
func Ludcmp(x, a, b []float64, n int) {
	for i := range n {
		for j := range i {
			w := a[i*n+j]
			for k := range j {
				w -= a[i*n+k] * a[k*n+j]
			}
			a[i*n+j] = w / a[j*n+j]
		}
		for j := i; j < n; j++ {
			w := a[i*n+j]
			for k := range i {
				w -= a[i*n+k] * a[k*n+j]
			}
			a[i*n+j] = w
		}
	}
	y := make([]float64, n)
	for i := range n {
		w := b[i]
		for j := range i {
			w -= a[i*n+j] * y[j]
		}
		y[i] = w
	}
	for i := n - 1; i >= 0; i-- {
		w := y[i]
		for j := i + 1; j < n; j++ {
			w -= a[i*n+j] * x[j]
		}
		x[i] = w / a[i*n+i]
	}
}
