package ssor

// solution returns the coefficients of the exact solution: for each unknown a constant, and those
// of the polynomials of x, y and z. Coefficient 1+d+3i is that of the power i+1 of dimension d.
func solution() [components][13]float64 {
	return [components][13]float64{
		{2, 0, 0, 4, 5, 3, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
		{1, 0, 0, 0, 1, 2, 3, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
		{2, 2, 0, 0, 0, 2, 3, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
		{2, 2, 0, 0, 0, 2, 3, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
		{5, 4, 3, 2, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2},
	}
}

// exactAlong returns the values of the polynomials of dimension d at n points from 0 to 1. Those of
// x include the constant.
func exactAlong(d, n int) []vector {
	values, solution := make([]vector, n), solution()
	for i := range values {
		at := float64(i) / float64(n-1)
		for m := range values[i] {
			c := solution[m][1+d:]
			values[i][m] = (c[0] + (c[3]+(c[6]+c[9]*at)*at)*at) * at
			if d == 0 {
				values[i][m] += solution[m][0]
			}
		}
	}
	return values
}

// at returns the exact solution at a point.
func (k *kernel) at(x, y, z int) (u vector) {
	for m := range u {
		u[m] = k.dimensions[0].exact[x][m] + k.dimensions[1].exact[y][m] + k.dimensions[2].exact[z][m]
	}
	return u
}

// exact sets plane z to the exact solution.
func (k *kernel) exact(z int, plane []vector) {
	for i := range plane {
		plane[i] = k.at(i%k.n, i/k.n, z)
	}
}

// start sets plane z to the values from which the iterations start: the exact solution at the
// boundary, and within it what that interpolates.
func (k *kernel) start(z int, plane []vector) {
	k.exact(z, plane)
	last := k.n - 1
	part := func(i int) float64 { return float64(i) / float64(last) }
	between := func(a, b vector, part float64) vector {
		for m := range a {
			a[m] = (1-part)*a[m] + part*b[m]
		}
		return a
	}
	for y := 1; y < last; y++ {
		for x := 1; x < last; x++ {
			a := between(k.at(0, y, z), k.at(last, y, z), part(x))
			b := between(k.at(x, 0, z), k.at(x, last, z), part(y))
			c := between(k.at(x, y, 0), k.at(x, y, last), part(z))
			for m := range a {
				plane[y*k.n+x][m] = a[m] + b[m] + c[m] - a[m]*b[m] - b[m]*c[m] - c[m]*a[m] + a[m]*b[m]*c[m]
			}
		}
	}
}
