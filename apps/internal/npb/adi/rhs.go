package adi

// rhs computes the right side of the equations, plane after plane.
type rhs struct {
	n            int
	coefficients [3]coefficients
	weights      func(i int) [5]float64
	fields       [3][]float64 // what derive computes, for plane z at z%3: [y][field][x]
	next         int          // the plane to derive next
	plane        []float64    // the right side of one plane: [y][component][x]
	u            *cube
}

func newRHS(p *Problem, u *cube) *rhs {
	r := &rhs{n: p.N, weights: p.Weights, u: u}
	for d := range r.coefficients {
		f := p.Factors(d)
		r.coefficients[d] = f.coefficients()
	}
	for i := range r.fields {
		r.fields[i] = make([]float64, p.N*rowLength(p.N, derived))
		clear(r.fields[i])
	}
	r.plane = make([]float64, p.N*u.length)
	clear(r.plane)
	return r
}

// row returns row y of the right side.
func (r *rhs) row(y int) []float64 { return r.plane[y*r.u.length:][:r.u.length:r.u.length] }

func (r *rhs) field(z, y int) []float64 {
	length := rowLength(r.n, derived)
	return r.fields[z%3][y*length:][:length:length]
}

// begin says that the next plane to compute is z.
func (r *rhs) begin(z int) { r.next = z - 1 }

// compute computes the right side of plane z: the rows of plane. Row y of forcing begins at y times
// the length of a row; a nil forcing is zero. The caller computes planes in order.
func (r *rhs) compute(z int, forcing []float64) {
	for ; r.next <= z+1; r.next++ {
		for y := range r.n {
			derive(r.field(r.next, y), r.u.row(r.next, y), r.n)
		}
	}
	zero := r.row(0) // nobody writes it
	for y := 1; y < r.n-1; y++ {
		from := zero
		if forcing != nil {
			from = forcing[y*r.u.length:][:r.u.length]
		}
		r.dissipate(z, y, from)
		r.flux(z, y)
	}
}

// dissipate sets row y to from less the dissipation of fourth order.
func (r *rhs) dissipate(z, y int, from []float64) {
	to, here, last := r.row(y), r.u.row(z, y), r.u.length-4
	w := r.weights(3)
	dissipate(to[2:][:last], from[2:], &[5][]float64{here, here[1:], here[2:], here[3:], here[4:]}, &w)
	clear(to[:2])
	clear(to[2+last:])
	for _, x := range [...]int{1, 2, r.n - 3, r.n - 2} {
		w := r.weights(x)
		for m := range components {
			u := here[m*r.n:][:r.n]
			to[m*r.n+x] = from[m*r.n+x] - (w[0]*u[max(x-2, 0)] + w[1]*u[x-1] + w[2]*u[x] + w[3]*u[x+1] + w[4]*u[min(x+2, r.n-1)])
		}
	}
	u := func(dz, dy int) []float64 {
		return r.u.row(min(max(z+dz, 0), r.n-1), min(max(y+dy, 0), r.n-1))
	}
	w = r.weights(y)
	dissipate(to, to, &[5][]float64{u(0, -2), u(0, -1), here, u(0, 1), u(0, 2)}, &w)
	w = r.weights(z)
	dissipate(to, to, &[5][]float64{u(-2, 0), u(-1, 0), here, u(1, 0), u(2, 0)}, &w)
}

// flux adds the flux differences in all directions to row y.
func (r *rhs) flux(z, y int) {
	to, u, v := r.row(y)[1:], r.u.row(z, y), r.field(z, y)
	flux(to, &neighbours{[3][]float64{u, u[1:], u[2:]}, [3][]float64{v, v[1:], v[2:]}}, r.n, 1, &r.coefficients[0])
	for d, by := range [][2]int{{0, 1}, {1, 0}} {
		flux(to, &neighbours{
			[3][]float64{r.u.row(z-by[0], y-by[1])[1:], u[1:], r.u.row(z+by[0], y+by[1])[1:]},
			[3][]float64{r.field(z-by[0], y-by[1])[1:], v[1:], r.field(z+by[0], y+by[1])[1:]},
		}, r.n, 2+d, &r.coefficients[1+d])
	}
}
