package polybench

import "math"

// Correlation sets corr, m x m, to the correlation of the m columns of data, which has n rows. It
// changes data to the standardized values.
//
//fagus:parallel
func Correlation(data, corr []float64, n, m int) {
	mean, stddev := make([]float64, m), make([]float64, m)
	for j := range m {
		for i := range n {
			mean[j] += data[i*m+j]
		}
		mean[j] /= float64(n)
	}
	for j := range m {
		for i := range n {
			d := data[i*m+j] - mean[j]
			stddev[j] += d * d
		}
		stddev[j] = math.Sqrt(stddev[j] / float64(n))
		if stddev[j] <= 0.1 {
			stddev[j] = 1 // a column that is almost constant
		}
	}
	for i := range n {
		for j := range m {
			data[i*m+j] = (data[i*m+j] - mean[j]) / (math.Sqrt(float64(n)) * stddev[j])
		}
	}
	for i := 0; i < m; i++ {
		corr[i*m+i] = 1
		for j := i + 1; j < m; j++ {
			sum := 0.0
			for k := range n {
				sum += data[k*m+i] * data[k*m+j]
			}
			corr[i*m+j] = sum
			corr[j*m+i] = sum
		}
	}
}
