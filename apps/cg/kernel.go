package cg

func addScaled(a []float64, f float64, b []float64) {
	b = b[:len(a)]
	for i := range a {
		a[i] += f * b[i]
	}
}

func scaleAdd(a []float64, f float64, b []float64) {
	b = b[:len(a)]
	for i := range a {
		a[i] = f*a[i] + b[i]
	}
}
