package polybench

// ThreeMM sets g = (a*b)*(c*d). The matrix a is ni x nk, b is nk x nj, c is nj x nm, d is nm x
// nl, and g is ni x nl.
//
//fagus:parallel
func ThreeMM(g, a, b, c, d []float64, ni, nj, nk, nl, nm int) {
	e, f := make([]float64, ni*nj), make([]float64, nj*nl)
	for i := range ni {
		for j := range nj {
			for k := range nk {
				e[i*nj+j] += a[i*nk+k] * b[k*nj+j]
			}
		}
	}
	for i := range nj {
		for j := range nl {
			for k := range nm {
				f[i*nl+j] += c[i*nm+k] * d[k*nl+j]
			}
		}
	}
	for i := range ni {
		for j := range nl {
			g[i*nl+j] = 0
			for k := range nj {
				g[i*nl+j] += e[i*nj+k] * f[k*nl+j]
			}
		}
	}
}
