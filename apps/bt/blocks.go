package bt

// goJacobians computes the three blocks that depend on a point, whose unknowns are u: those of the
// flux, f, and of the viscosity, v. The blocks after and before differ in the sign of f.
func goJacobians(after, here, before *block, u *vector, k *factors) {
	for l := range 4 {
		inverse := 1 / u[0][l]
		v1, v2, v3, e := u[1][l]*inverse, u[2][l]*inverse, u[3][l]*inverse, u[4][l]*inverse
		q := 0.5 * (v1*v1 + v2*v2 + v3*v3)
		w := k.first * v1
		f := [5][5]float64{
			{0, k.first, 0, 0, 0},
			{k.first * (k.c2*q - v1*v1), k.two * w, k.minusC2 * v2, k.minusC2 * v3, k.firstC2},
			{-w * v2, k.first * v2, w, 0, 0},
			{-w * v3, k.first * v3, 0, w, 0},
			{(k.twice*q - k.c1*e) * w, k.first * (k.c1*e - k.c2*(v1*v1+q)), k.minusC2 * v2 * v1, k.minusC2 * v3 * v1, k.c1 * w},
		}
		viscosity, normal, energy := k.viscosity*inverse, k.normal*inverse, k.energy*inverse
		normalEnergy, viscousEnergy := k.normalEnergy*inverse, k.viscousEnergy*inverse
		v := [5][5]float64{
			{},
			{-normal * v1, normal, 0, 0, 0},
			{-viscosity * v2, 0, viscosity, 0, 0},
			{-viscosity * v3, 0, 0, viscosity, 0},
			{-(normalEnergy*(v1*v1) + viscousEnergy*(v2*v2+v3*v3) + energy*e), normalEnergy * v1, viscousEnergy * v2, viscousEnergy * v3, energy},
		}
		for m := range 5 {
			for n := range 5 {
				d, one := v[m][n], 0.0
				if m == n {
					d, one = d+k.diffusion, 1
				}
				after[m][n][l], here[m][n][l], before[m][n][l] = -(f[m][n] + d), one+(d+d), f[m][n]-d
			}
		}
	}
}

// goEliminate subtracts a times the row of the point before, whose block is before and right side
// is rBefore, from the row of a point. It multiplies the rest of the row, c and r, by the inverse
// of b. It leaves in b a lower triangle, the inverse of its diagonal, and an upper triangle, whose
// diagonal is 1.
func goEliminate(a, b, before, c *block, rBefore, r *vector) {
	for l := range 4 {
		var y [5]float64
		subtract := func(m int, x0, x1, x2, x3, x4 float64) {
			y[m] = y[m] - a[m][0][l]*x0 - a[m][1][l]*x1 - a[m][2][l]*x2 - a[m][3][l]*x3 - a[m][4][l]*x4
		}
		forward := func(pivots int) {
			for p := range pivots {
				y[p] *= b[p][p][l]
				for m := p + 1; m < 5; m++ {
					y[m] -= b[m][p][l] * y[p]
				}
			}
		}
		back := func() {
			for p := 4; p > 0; p-- {
				for m := range p {
					y[m] -= b[m][p][l] * y[p]
				}
			}
		}
		for n := range 5 {
			for m := range 5 {
				y[m] = b[m][n][l]
				subtract(m, before[0][n][l], before[1][n][l], before[2][n][l], before[3][n][l], before[4][n][l])
			}
			forward(n)
			y[n] = 1 / y[n]
			for m := range 5 {
				b[m][n][l] = y[m]
			}
		}
		for m := range 5 {
			y[m] = r[m][l]
			subtract(m, rBefore[0][l], rBefore[1][l], rBefore[2][l], rBefore[3][l], rBefore[4][l])
		}
		forward(5)
		back()
		for m := range 5 {
			r[m][l] = y[m]
		}
		for n := range 5 {
			for m := range 5 {
				y[m] = c[m][n][l]
			}
			forward(5)
			back()
			for m := range 5 {
				c[m][n][l] = y[m]
			}
		}
	}
}

// goSubstitute subtracts the block of each point times the solution of the point after.
func goSubstitute(c []block, r []vector) {
	for i := len(r) - 2; i >= 0; i-- {
		c, r, x := &c[i], &r[i], &r[i+1]
		for m := range 5 {
			for l := range 4 {
				r[m][l] = r[m][l] - c[m][0][l]*x[0][l] - c[m][1][l]*x[1][l] - c[m][2][l]*x[2][l] - c[m][3][l]*x[3][l] - c[m][4][l]*x[4][l]
			}
		}
	}
}
