package polybench

// Doitgen multiplies every row of the nr x nq x np tensor a by the np x np matrix c.
//
//fagus:parallel
func Doitgen(a, c []float64, nr, nq, np int) {
	sum := make([]float64, np)
	for r := range nr {
		for q := range nq {
			for p := range np {
				sum[p] = 0
				for s := range np {
					sum[p] += a[(r*nq+q)*np+s] * c[s*np+p]
				}
			}
			for p := range np {
				a[(r*nq+q)*np+p] = sum[p]
			}
		}
	}
}
