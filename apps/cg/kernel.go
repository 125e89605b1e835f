package cg

// dot is the sum of products, four sums at once: an addition waits for the one before.
func dot(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i, x := range a {
		s0 += x * b[i]
	}
	return s0 + s1 + (s2 + s3)
}

// addScaled adds f times b to a.
func addScaled(a []float64, f float64, b []float64) {
	b = b[:len(a)]
	for i := range a {
		a[i] += f * b[i]
	}
}

// scaleAdd makes a f times a, plus b.
func scaleAdd(a []float64, f float64, b []float64) {
	b = b[:len(a)]
	for i := range a {
		a[i] = f*a[i] + b[i]
	}
}
