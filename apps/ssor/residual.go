package ssor

// flux adds to the residuals of a row of points what the differences in one dimension contribute. u
// has the unknowns of the rows at the distances -2 to 2 in this dimension, and s the states at the
// distances -1 to 1. w has the weights of u.
func (k *kernel) flux(residuals []vector, u *[5][]vector, s *[3][]state, d int, w *[5]float64) {
	n := len(residuals)
	u0, u1, u2, u3, u4 := u[0][:n], u[1][:n], u[2][:n], u[3][:n], u[4][:n]
	s1, s2, s3 := s[0][:n], s[1][:n], s[2][:n]
	w0, w1, w2, w3, w4 := w[0], w[1], w[2], w[3], w[4]
	first, second := k.first, k.second*viscosity
	for i := range residuals {
		r, a, b, c, e, f := &residuals[i], &u0[i], &u1[i], &u2[i], &u3[i], &u4[i]
		below, here, above := &s1[i], &s2[i], &s3[i]
		vb, v, ve := below.velocity[d], here.velocity[d], above.velocity[d]
		r[0] += w0*a[0] + w1*b[0] + w2*c[0] + w3*e[0] + w4*f[0] -
			first*(e[1+d]-b[1+d])
		r[1] += w0*a[1] + w1*b[1] + w2*c[1] + w3*e[1] + w4*f[1] -
			first*(e[1]*ve-b[1]*vb) + second*(above.velocity[0]-2*here.velocity[0]+below.velocity[0])
		r[2] += w0*a[2] + w1*b[2] + w2*c[2] + w3*e[2] + w4*f[2] -
			first*(e[2]*ve-b[2]*vb) + second*(above.velocity[1]-2*here.velocity[1]+below.velocity[1])
		r[3] += w0*a[3] + w1*b[3] + w2*c[3] + w3*e[3] + w4*f[3] -
			first*(e[3]*ve-b[3]*vb) + second*(above.velocity[2]-2*here.velocity[2]+below.velocity[2])
		r[4] += w0*a[4] + w1*b[4] + w2*c[4] + w3*e[4] + w4*f[4] -
			first*(e[1+d]*above.enthalpy()-b[1+d]*below.enthalpy()) + second*(above.heat(ve)-2*here.heat(v)+below.heat(vb))
		r[1+d] += second/3*(ve-2*v+vb) - first*(pressure(e, above)-pressure(b, below))
	}
}

// residuals computes the states and the residuals of all planes.
func (b *block) residuals() {
	plane := b.n * b.n
	for z := b.lo - 1; z <= b.hi; z++ {
		b.derive(b.state(z, 0)[:plane:plane], b.u(z))
		if z > b.lo {
			b.residual(z - 1)
		}
	}
}

// residual computes the residuals of plane z.
func (b *block) residual(z int) {
	var planes [5][]vector
	for i := range planes {
		planes[i] = b.u(b.within(z + i - 2))
	}
	last := b.n - 1
	row := func(plane []vector, y int) []vector { return plane[b.within(y)*b.n:][:b.n] }
	for y := 1; y < last; y++ {
		r, here, s := b.row(z, y), row(planes[2], y), b.state(z, y)
		forcing := b.forcing[((z-b.lo)*b.n+y)*b.n:][:b.n]
		for x := 1; x < last; x++ {
			for m := range components {
				r[x][m] = -forcing[x][m]
			}
		}
		var u [5][]vector
		for x, end := 1, 1; x < last; x = end {
			end = x + 1
			if x == 3 {
				end = last - 2 // inner points have the same weights
			}
			for i := range u {
				u[i] = here[b.within(x+i-2):]
			}
			b.flux(r[x:end], &u, &[3][]state{s[x-1:], s[x:], s[x+1:]}, 0, &b.dimensions[0].weights[x])
		}
		for i := range u {
			u[i] = row(planes[2], y+i-2)[1:last]
		}
		b.flux(r[1:last], &u, &[3][]state{b.state(z, y-1)[1:], s[1:], b.state(z, y+1)[1:]}, 1, &b.dimensions[1].weights[y])
		for i := range u {
			u[i] = row(planes[i], y)[1:last]
		}
		b.flux(r[1:last], &u, &[3][]state{b.state(z-1, y)[1:], s[1:], b.state(z+1, y)[1:]}, 2, &b.dimensions[2].weights[z])
	}
}

// within returns the coordinate of the grid that is nearest to i. If it is another one, its weight
// is 0.
func (k *kernel) within(i int) int { return min(max(i, 0), k.n-1) }
