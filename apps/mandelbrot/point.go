package mandelbrot

// steps is how many steps it takes c = x + iy to leave, at most limit.
func steps(x, y float64, limit int) int {
	if within(x, y) {
		return limit
	}
	return plainSteps(x, y, limit)
}

// within says whether a point is in the cardioid, or in the disc around -1: such points never leave.
func within(x, y float64) bool {
	a := x - 0.25
	q := a*a + y*y
	return q*(q+a) < 0.25*y*y || (x+1)*(x+1)+y*y < 1./16
}

// plainSteps makes every step. Conversions forbid the compiler to round less often, as it may on some
// processors.
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
