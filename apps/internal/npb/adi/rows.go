package adi

// coefficients of the differences in one direction, for one time step. Their names are NPB's, for
// the direction x.
type coefficients struct {
	dx1, tx2, con2, con2Con43, con3, con4, con5 float64
}

func (f *Factors) coefficients() coefficients {
	c := C3C4 * f.Second
	return coefficients{
		dx1: f.Diffusion * f.Second, tx2: f.First,
		con2: c, con2Con43: c * Con43, con3: c * (1 - C1*C1), con4: c * (1.0 / 6), con5: c * C1 * C1,
	}
}

// derived is the number of fields that derive computes: kinetic energy by mass, velocity in three
// directions, energy by mass, pressure.
const derived = 6

// goDerive computes the derived fields of a row of n points.
func goDerive(v, u []float64, n int) {
	u0, u1, u2, u3, u4 := u[:n], u[n:][:n], u[2*n:][:n], u[3*n:][:n], u[4*n:][:n]
	v0, v1, v2, v3, v4, v5 := v[:n], v[n:][:n], v[2*n:][:n], v[3*n:][:n], v[4*n:][:n], v[5*n:][:n]
	for i := range n {
		inverse := 1 / u0[i]
		kinetic := 0.5 * (u1[i]*u1[i] + u2[i]*u2[i] + u3[i]*u3[i]) * inverse
		v0[i] = kinetic * inverse
		v1[i], v2[i], v3[i] = u1[i]*inverse, u2[i]*inverse, u3[i]*inverse
		v4[i] = u4[i] * inverse
		v5[i] = C2 * (u4[i] - kinetic)
	}
}

// neighbours are the unknowns and the derived fields of points in a row, and of their neighbours on
// both sides in one direction.
type neighbours struct{ u, v [3][]float64 }

// goFlux adds the flux differences in a direction to a row: to the first n-2 of the n numbers of
// each component. normal is the component of momentum in this direction.
func goFlux(to []float64, at *neighbours, n, normal int, c *coefficients) {
	count := n - 2
	field := func(of *[3][]float64, m int) (before, here, after []float64) {
		return of[0][m*n:][:count], of[1][m*n:][:count], of[2][m*n:][:count]
	}
	wBefore, w, wAfter := field(&at.v, normal)
	pBefore, _, pAfter := field(&at.v, 5)
	for m := range components {
		r := to[m*n:][:count]
		before, here, after := field(&at.u, m)
		vBefore, v, vAfter := field(&at.v, m)
		switch m {
		case 0:
			nBefore, _, nAfter := field(&at.u, normal)
			for i := range r {
				r[i] += c.dx1*(after[i]-2*here[i]+before[i]) - c.tx2*(nAfter[i]-nBefore[i])
			}
		case normal:
			for i := range r {
				r[i] += c.dx1*(after[i]-2*here[i]+before[i]) + c.con2Con43*(wAfter[i]-2*w[i]+wBefore[i]) -
					c.tx2*(after[i]*wAfter[i]-before[i]*wBefore[i]+(pAfter[i]-pBefore[i]))
			}
		case 4:
			qBefore, q, qAfter := field(&at.v, 0)
			for i := range r {
				r[i] += c.dx1*(after[i]-2*here[i]+before[i]) + c.con3*(qAfter[i]-2*q[i]+qBefore[i]) +
					c.con4*(wAfter[i]*wAfter[i]-2*w[i]*w[i]+wBefore[i]*wBefore[i]) +
					c.con5*(vAfter[i]-2*v[i]+vBefore[i]) -
					c.tx2*((after[i]+pAfter[i])*wAfter[i]-(before[i]+pBefore[i])*wBefore[i])
			}
		default:
			for i := range r {
				r[i] += c.dx1*(after[i]-2*here[i]+before[i]) + c.con2*(vAfter[i]-2*v[i]+vBefore[i]) -
					c.tx2*(after[i]*wAfter[i]-before[i]*wBefore[i])
			}
		}
	}
}

// goDissipate sets to to from less the weighted sum of five rows.
func goDissipate(to, from []float64, rows *[5][]float64, w *[5]float64) {
	n := len(to)
	from = from[:n]
	a, b, c, d, e := rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n], rows[4][:n]
	for i := range to {
		to[i] = from[i] - (w[0]*a[i] + w[1]*b[i] + w[2]*c[i] + w[3]*d[i] + w[4]*e[i])
	}
}

// goAlong gathers component m of four lines that lie in rows.
func goAlong(to [][components]Quad, m int, rows *[4][]float64) {
	a, b, c, d := rows[0][:len(to)], rows[1][:len(to)], rows[2][:len(to)], rows[3][:len(to)]
	for i := range to {
		to[i][m] = Quad{a[i], b[i], c[i], d[i]}
	}
}

// goBackAlong does the reverse.
func goBackAlong(rows *[4][]float64, from [][components]Quad, m int) {
	for lane, row := range rows {
		row = row[:len(from)]
		for i := range row {
			row[i] = from[i][m][lane]
		}
	}
}

// goAcross gathers four points at the given places of each row.
func goAcross(to [][components]Quad, rows crossing, places *[components]int) {
	for i := range to {
		for m, at := range places {
			to[i][m] = Quad(rows.numbers[i*rows.stride+at:])
		}
	}
}

// goStoreAcross does the reverse.
func goStoreAcross(rows crossing, places *[components]int, from [][components]Quad) {
	for i := range from {
		for m, at := range places {
			*(*Quad)(rows.numbers[i*rows.stride+at:]) = from[i][m]
		}
	}
}

// goAddAcross adds what goStoreAcross stores.
func goAddAcross(rows crossing, places *[components]int, from [][components]Quad) {
	for i := range from {
		for m, at := range places {
			to := (*Quad)(rows.numbers[i*rows.stride+at:])
			for k := range to {
				to[k] += from[i][m][k]
			}
		}
	}
}
