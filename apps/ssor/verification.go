package ssor

import "github.com/fagus-dsm/fagus/fagus/parts"

// total returns the sums of what each f returns for each plane: the components for the first f, and
// then those for the next.
func (b *block) total(fs ...func(z int) vector) []parts.Exact {
	sums := make([]parts.Exact, len(fs)*components)
	for z := b.lo; z < b.hi; z++ {
		for i, f := range fs {
			for m, x := range f(z) {
				sums[i*components+m].Add(x)
			}
		}
	}
	return sums
}

// squares returns the sum of the squared residuals of plane z.
func (b *block) squares(z int) (sum vector) {
	for y := range b.n {
		for _, r := range b.row(z, y) {
			for m, x := range r {
				sum[m] += x * x
			}
		}
	}
	return sum
}

// errors returns the sum of the squared errors of plane z.
func (b *block) errors(z int) (sum vector) {
	for i, u := range b.u(z) {
		exact := b.at(i%b.n, i/b.n, z)
		for m := range sum {
			sum[m] += (exact[m] - u[m]) * (exact[m] - u[m])
		}
	}
	return sum
}

// pressures returns the part of plane z in the integral of the pressure over the surface of a
// cuboid, as the first component: NPB's choice of x from 1 to n-2, y to n-3, and z from 2 on.
func (b *block) pressures(z int) (sum vector) {
	const left, top = 1, 1
	right, bottom, front, back := b.n-2, b.n-3, 2, b.n-2
	if z < front {
		return sum
	}
	// weight is that of the trapezoidal rule
	weight := func(i, lo, hi int) float64 {
		if i == lo || i == hi {
			return 0.5
		}
		return 1
	}
	u, s := b.u(z), b.state(z, 0)
	for y := top; y <= bottom; y++ {
		for x := left; x <= right; x++ {
			area := 0.0
			if z == front || z == back {
				area += weight(x, left, right) * weight(y, top, bottom)
			}
			if y == top || y == bottom {
				area += weight(x, left, right) * weight(z, front, back)
			}
			if x == left || x == right {
				area += weight(y, top, bottom) * weight(z, front, back)
			}
			i := y*b.n + x
			sum[0] += area * pressure(&u[i], &s[i])
		}
	}
	return sum
}
