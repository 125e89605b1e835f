package mandelbrot

// steps returns the number of steps, at most limit, until c = x + iy escapes.
func steps(x, y float64, limit int) int {
	if within(x, y) {
		return limit
	}
	return plainSteps(x, y, limit)
}

// within reports whether a point is in the cardioid or the disc around -1, and never escapes.
func within(x, y float64) bool {
	a := x - 0.25
	q := a*a + y*y
	return q*(q+a) < 0.25*y*y || (x+1)*(x+1)+y*y < 1./16
}

// plainSteps counts every step. Conversions prevent fused operations, which round differently.
func plainSteps(x, y float64, limit int) int {
	re, im := 0.0, 0.0
	for k := range limit {
		re2, im2 := float64(re*re), float64(im*im)
		if re2+im2 > 4 {
			return k
		}
		im = float64(2*re*im) + y
		re = re2 - im2 + x
	}
	return limit
}
