package polybench

// Covariance sets cov, m x m, to the covariance of the m columns of data, which has n > 1 rows.
// It subtracts the mean of its column from every element of data.
//
//fagus:parallel
func Covariance(data, cov []float64, n, m int) {
	mean := make([]float64, m)
	for j := range m {
		for i := range n {
			mean[j] += data[i*m+j]
		}
		mean[j] /= float64(n)
	}
	for i := range n {
		for j := range m {
			data[i*m+j] -= mean[j]
		}
	}
	for i := 0; i < m; i++ {
		for j := i; j < m; j++ {
			sum := 0.0
			for k := range n {
				sum += data[k*m+i] * data[k*m+j]
			}
			cov[i*m+j] = sum / float64(n-1)
			cov[j*m+i] = cov[i*m+j]
		}
	}
}
