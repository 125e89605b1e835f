package bt

// goJacobians computes the three blocks that depend on a point, whose unknowns are u: those of the
// flux, f, and of the viscosity, v. The blocks after and before differ in the sign of f.
func goJacobians(after, here, before *block, u *vector, k *factors) {
	for l := range 4 {
		inverse := 1 / u[0][l]
		v1, v2, v3, e := u[1][l]*inverse, u[2][l]*inverse, u[3][l]*inverse, u[4][l]*inverse
		q := 0.5 * (v1*v1 + v2*v2 + v3*v3)
		w := k.first * v1
		viscosity, normal, energy := k.viscosity*inverse, k.normal*inverse, k.energy*inverse
		normalEnergy, viscousEnergy := k.normalEnergy*inverse, k.viscousEnergy*inverse
		put := func(m, n int, f, v float64) {
			after[m][n][l], here[m][n][l], before[m][n][l] = -(f + v), v+v, f-v
		}
		diagonal := func(m int, f, v float64) {
			put(m, m, f, v+k.diffusion)
			here[m][m][l]++
		}
		for _, at := range [...][2]int{{0, 2}, {0, 3}, {0, 4}, {2, 3}, {2, 4}, {3, 2}, {3, 4}} {
			put(at[0], at[1], 0, 0)
		}
		diagonal(0, 0, 0)
		put(0, 1, k.first, 0)
		put(1, 0, k.first*(k.c2*q-v1*v1), -normal*v1)
		diagonal(1, k.two*w, normal)
		put(1, 2, k.minusC2*v2, 0)
		put(1, 3, k.minusC2*v3, 0)
		put(1, 4, k.firstC2, 0)
		put(2, 0, -w*v2, -viscosity*v2)
		put(2, 1, k.first*v2, 0)
		diagonal(2, w, viscosity)
		put(3, 0, -w*v3, -viscosity*v3)
		put(3, 1, k.first*v3, 0)
		diagonal(3, w, viscosity)
		put(4, 0, (k.twice*q-k.c1*e)*w, -(normalEnergy*(v1*v1) + viscousEnergy*(v2*v2+v3*v3) + energy*e))
		put(4, 1, k.first*(k.c1*e-k.c2*(v1*v1+q)), normalEnergy*v1)
		put(4, 2, k.minusC2*v2*v1, viscousEnergy*v2)
		put(4, 3, k.minusC2*v3*v1, viscousEnergy*v3)
		diagonal(4, k.c1*w, energy)
	}
}

// goEliminate subtracts a times the row of the point before, whose block is before and right side
// is rBefore, from the row of a point. It multiplies the rest of the row, c and r, by the inverse
// of b. It leaves in b a lower triangle, the inverse of its diagonal, and an upper triangle, whose
// diagonal is 1.
func goEliminate(a, b, before, c *block, rBefore, r *vector) {
	for l := range 4 {
		for n := range 5 {
			y := column{b[0][n][l], b[1][n][l], b[2][n][l], b[3][n][l], b[4][n][l]}
			y.subtract(a, l, before[0][n][l], before[1][n][l], before[2][n][l], before[3][n][l], before[4][n][l])
			y.forward(b, l, n)
			y[n] = 1 / y[n]
			b[0][n][l], b[1][n][l], b[2][n][l], b[3][n][l], b[4][n][l] = y[0], y[1], y[2], y[3], y[4]
		}
		y := column{r[0][l], r[1][l], r[2][l], r[3][l], r[4][l]}
		y.subtract(a, l, rBefore[0][l], rBefore[1][l], rBefore[2][l], rBefore[3][l], rBefore[4][l])
		y.solve(b, l)
		r[0][l], r[1][l], r[2][l], r[3][l], r[4][l] = y[0], y[1], y[2], y[3], y[4]
		for n := range 5 {
			y := column{c[0][n][l], c[1][n][l], c[2][n][l], c[3][n][l], c[4][n][l]}
			y.solve(b, l)
			c[0][n][l], c[1][n][l], c[2][n][l], c[3][n][l], c[4][n][l] = y[0], y[1], y[2], y[3], y[4]
		}
	}
}

// column is a vector, or a column of a block, of line l.
type column [5]float64

// subtract subtracts a block times a column x.
func (y *column) subtract(a *block, l int, x0, x1, x2, x3, x4 float64) {
	for m := range a {
		a := &a[m]
		y[m] = y[m] - a[0][l]*x0 - a[1][l]*x1 - a[2][l]*x2 - a[3][l]*x3 - a[4][l]*x4
	}
}

// forward eliminates the first rows of a factored block.
func (y *column) forward(b *block, l, rows int) {
	for p := range rows {
		y[p] *= b[p][p][l]
		for m := p + 1; m < 5; m++ {
			y[m] -= b[m][p][l] * y[p]
		}
	}
}

// solve multiplies by the inverse of a factored block.
func (y *column) solve(b *block, l int) {
	l &= 3 // what the compiler need not check
	y0 := y[0] * b[0][0][l]
	y1 := (y[1] - b[1][0][l]*y0) * b[1][1][l]
	y2 := (y[2] - b[2][0][l]*y0 - b[2][1][l]*y1) * b[2][2][l]
	y3 := (y[3] - b[3][0][l]*y0 - b[3][1][l]*y1 - b[3][2][l]*y2) * b[3][3][l]
	y4 := (y[4] - b[4][0][l]*y0 - b[4][1][l]*y1 - b[4][2][l]*y2 - b[4][3][l]*y3) * b[4][4][l]
	y3 -= b[3][4][l] * y4
	y2 = y2 - b[2][4][l]*y4 - b[2][3][l]*y3
	y1 = y1 - b[1][4][l]*y4 - b[1][3][l]*y3 - b[1][2][l]*y2
	y0 = y0 - b[0][4][l]*y4 - b[0][3][l]*y3 - b[0][2][l]*y2 - b[0][1][l]*y1
	*y = column{y0, y1, y2, y3, y4}
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
