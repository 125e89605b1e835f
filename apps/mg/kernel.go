package mg

// kernel has buffers for rows. Methods that compute a field compute one plane of n x n numbers.
type kernel struct {
	smoother
	// rows with the last number before the first, and the first after the last; see wrap
	near, far, centre []float64
	sides             [4][]float64 // by y mod 4: the sum of row y of the planes below and above
}

func newKernel(p *problem) *kernel {
	n := p.n
	k := &kernel{smoother: p.smoother, near: make([]float64, n+2), far: make([]float64, n+2), centre: make([]float64, n+2)}
	for i := range k.sides {
		k.sides[i] = make([]float64, n)
	}
	return k
}

// smoother has the coefficients of S: of the point, and of its neighbours at the distances 1 and
// sqrt 2. Those at sqrt 3 have 0.
type smoother [3]float64

// Operations per computed point.
const (
	residualOperations = 15
	smoothOperations   = 16
	restrictOperations = 24
	prolongOperations  = 3
)

// wrap makes a buffer of n numbers periodic: it sets the elements around them.
func wrap(buffer []float64, n int) { buffer[0], buffer[n+1] = buffer[n], buffer[1] }

// slab has the planes z-1, z and z+1 of a field of n x n x n numbers.
type slab struct {
	*kernel
	below, plane, above []float64
	n                   int
}

// slab returns the slab of plane z, prepared for calls of around with y, y+1 and so on.
func (k *kernel) slab(f field, z, y, n int) slab {
	s := slab{k, f.Row(z - 1), f.Row(z), f.Row(z + 1), n}
	s.side(y - 1)
	s.side(y)
	return s
}

// side computes the sum of row y of the planes below and above.
func (s *slab) side(y int) {
	below, above, sum := row(s.below, y, s.n), row(s.above, y, s.n), s.sides[y&3][:s.n]
	for x := range sum {
		sum[x] = below[x] + above[x]
	}
}

// around adds up the rows around row y of the middle plane: near is the sum of the four adjacent
// rows, and far of the four diagonal ones. It needs the sides of rows y-1 and y, and computes the
// side of row y+1.
func (s *slab) around(y int) (near, far []float64) {
	n := s.n
	s.side(y + 1)
	before, behind := row(s.plane, y-1, n), row(s.plane, y+1, n)
	last, here, next := s.sides[(y-1)&3][:n], s.sides[y&3][:n], s.sides[(y+1)&3][:n]
	near, far = s.near[:n+2], s.far[:n+2]
	beside, diagonal := near[1:][:n], far[1:][:n]
	for x := range beside {
		beside[x] = before[x] + behind[x] + here[x]
		diagonal[x] = last[x] + next[x]
	}
	wrap(near, n)
	wrap(far, n)
	return near, far
}

// wrapped returns a periodic copy of a row; see wrap.
func (k *kernel) wrapped(row []float64) []float64 {
	n := len(row)
	copy(k.centre[1:], row)
	wrap(k.centre, n)
	return k.centre[:n+2]
}

// residual computes plane z of r = v - A u. r and v may be the same field.
func (k *kernel) residual(r, v, u field, z, n int) {
	const a0, a2, a3 = -8.0 / 3, 1.0 / 6, 1.0 / 12 // a1 is zero
	to, from, in := r.Row(z), v.Row(z), k.slab(u, z, 0, n)
	for y := range n {
		near, far := in.around(y)
		to, from, c := row(to, y, n), row(from, y, n), row(in.plane, y, n)
		near0, near2, far0, far1, far2 := near[:n], near[2:][:n], far[:n], far[1:][:n], far[2:][:n]
		for x := range n {
			to[x] = from[x] - a0*c[x] - a2*(far1[x]+near0[x]+near2[x]) - a3*(far0[x]+far2[x])
		}
	}
}

// smooth adds S r to plane z of u.
func (k *kernel) smooth(u, r field, z, n int) {
	c0, c1, c2 := k.smoother[0], k.smoother[1], k.smoother[2]
	to, in := u.Row(z), k.slab(r, z, 0, n)
	for y := range n {
		near, far := in.around(y)
		to, c := row(to, y, n), k.wrapped(row(in.plane, y, n))
		left, mid, right := c[:n], c[1:][:n], c[2:][:n]
		near0, near1, near2, far1 := near[:n], near[1:][:n], near[2:][:n], far[1:][:n]
		for x := range n {
			to[x] += c0*mid[x] + c1*(left[x]+right[x]+near1[x]) + c2*(far1[x]+near0[x]+near2[x])
		}
	}
}

// restrict computes plane z of coarse, of n planes. Its point i is at point 2i+1 of fine.
func (k *kernel) restrict(coarse, fine field, z, n int) {
	to, in := coarse.Row(z), k.slab(fine, 2*z+1, 1, 2*n)
	for y := range n {
		in.side(2*y + 1)
		near, far := in.around(2*y + 1)
		c := k.wrapped(row(in.plane, 2*y+1, 2*n))
		to := row(to, y, n)
		for x := range n {
			c, near, far := c[2*x+1:][:3], near[2*x+1:][:3], far[2*x+1:][:3]
			to[x] = c[1]/2 + (c[0]+c[2]+near[1])/4 + (near[0]+near[2]+far[1])/8 + (far[0]+far[2])/16
		}
	}
}

// prolong interpolates coarse, of n/2 planes, and adds it to plane z of fine, of n planes. A
// point gets the mean of the nearest coarse points, one or two in each dimension.
func (k *kernel) prolong(fine, coarse field, z, n int) {
	to, half := fine.Row(z), n/2
	below, above := coarse.Row((z-1)>>1), coarse.Row(z>>1) // the same plane if z is odd
	for y := range n {
		a, b := row(below, (y-1)>>1, half), row(below, y>>1, half)
		c, d := row(above, (y-1)>>1, half), row(above, y>>1, half)
		sum := k.near[:half+2]
		mid := sum[1:][:half]
		for x := range half {
			mid[x] = a[x] + b[x] + c[x] + d[x]
		}
		wrap(sum, half)
		to, left := row(to, y, n), sum[:half]
		for x := range half {
			pair := to[2*x:][:2]
			pair[0] += (left[x] + mid[x]) / 8
			pair[1] += mid[x] / 4
		}
	}
}
