package adi

// polynomials has the coefficients of the exact solution by component: of 1; x, y, z; their
// squares; their cubes; their fourth powers.
func polynomials() [components][13]float64 {
	return [components][13]float64{
		{2, 0, 0, 4, 5, 3, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
		{1, 0, 0, 0, 1, 2, 3, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
		{2, 2, 0, 0, 0, 2, 3, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
		{2, 2, 0, 0, 0, 2, 3, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
		{5, 4, 3, 2, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2},
	}
}

// exact returns a component of the exact solution at a place. The coordinates are from 0 to 1.
func exact(c *[13]float64, at [3]float64) float64 {
	sum := c[0]
	for d, x := range at {
		sum += x * (c[1+d] + x*(c[4+d]+x*(c[7+d]+x*c[10+d])))
	}
	return sum
}

// start returns a component of the start values at a place: on the boundary the exact solution,
// within it the interpolation between the six faces.
func start(c *[13]float64, at [3]float64) float64 {
	var p [3]float64
	for d, x := range at {
		if x == 0 || x == 1 {
			return exact(c, at)
		}
		near, far := at, at
		near[d], far[d] = 0, 1
		p[d] = x*exact(c, far) + (1-x)*exact(c, near)
	}
	return p[0] + p[1] + p[2] - p[0]*p[1] - p[0]*p[2] - p[1]*p[2] + p[0]*p[1]*p[2]
}

// fill sets row y of plane z to the values of a function, start or exact.
func (p *Problem) fill(row []float64, z, y int, value func(c *[13]float64, at [3]float64) float64) {
	c, h := polynomials(), 1/float64(p.N-1)
	place := func(i int) float64 {
		if i == p.N-1 {
			return 1
		}
		return float64(i) * h
	}
	for m := range components {
		for x := range p.N {
			row[m*p.N+x] = value(&c[m], [3]float64{place(x), place(y), place(z)})
		}
	}
}

// addErrors adds the squares of the errors in row y of plane z to sums.
func (p *Problem) addErrors(sums *[components]float64, row []float64, z, y int, want []float64) {
	p.fill(want, z, y, exact)
	for m := range components {
		for x := range p.N {
			d := row[m*p.N+x] - want[m*p.N+x]
			sums[m] += d * d
		}
	}
}
