package mg

// kernel has buffers for rows. Methods that compute a field compute one plane of n x n numbers.
type kernel struct {
	smoother
	// rows with the last number before the first, and the first after the last; see wrap
	near, far, centre []float64
	sides             [4][]float64 // by y mod 4: the sum of row y of the planes below and above
}

func newKernel(p *problem) *kernel {
	k := &kernel{smoother: p.smoother, near: periodic(p.n), far: periodic(p.n), centre: periodic(p.n)}
	for i := range k.sides {
		k.sides[i] = make([]float64, p.n)
	}
	return k
}

// periodic returns a buffer for n numbers and one at each end. The n numbers begin a cache line, so
// that vectors of them are in one line each: residuals take 8 % less time.
func periodic(n int) []float64 {
	const line = 8
	return make([]float64, n+2*line)[line-1:][:n+2]
}

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
func (k *kernel) slab(f field, z, y, n int) *slab {
	s := &slab{k, f.Row(z - 1), f.Row(z), f.Row(z + 1), n}
	s.side(y - 1)
	s.side(y)
	return s
}

// side computes the sum of row y of the planes below and above.
func (s *slab) side(y int) {
	add(s.sides[y&3][:s.n], row(s.below, y, s.n), row(s.above, y, s.n))
}

// around adds up the rows around row y of the middle plane: near is the sum of the four adjacent
// rows, and far of the four diagonal ones. It needs the sides of rows y-1 and y, and computes the
// side of row y+1.
func (s *slab) around(y int) (near, far []float64) {
	n := s.n
	near, far = s.near[:n+2], s.far[:n+2]
	around(near, far, s.sides[(y+1)&3][:n], row(s.below, y+1, n), row(s.above, y+1, n),
		row(s.plane, y-1, n), row(s.plane, y+1, n), s.sides[y&3], s.sides[(y-1)&3])
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
	to, from, in := r.Row(z), v.Row(z), k.slab(u, z, 0, n)
	for y := range n {
		near, far := in.around(y)
		residual(row(to, y, n), row(from, y, n), row(in.plane, y, n), near, far)
	}
}

// smooth adds S r to plane z of u.
func (k *kernel) smooth(u, r field, z, n int) {
	to, in := u.Row(z), k.slab(r, z, 0, n)
	for y := range n {
		near, far := in.around(y)
		k.smoother.smooth(row(to, y, n), k.wrapped(row(in.plane, y, n)), near, far)
	}
}

// restrict computes plane z of coarse, of n planes. Its point i is at point 2i+1 of fine.
func (k *kernel) restrict(coarse, fine field, z, n int) {
	to, in := coarse.Row(z), k.slab(fine, 2*z+1, 1, 2*n)
	for y := range n {
		in.side(2*y + 1)
		near, far := in.around(2*y + 1)
		restrict(row(to, y, n), k.wrapped(row(in.plane, 2*y+1, 2*n)), near, far)
	}
}

// prolong interpolates coarse, of n/2 planes, and adds it to plane z of fine, of n planes. A
// point gets the mean of the nearest coarse points, one or two in each dimension.
func (k *kernel) prolong(fine, coarse field, z, n int) {
	to, half := fine.Row(z), n/2
	below, above := coarse.Row((z-1)>>1), coarse.Row(z>>1) // the same plane if z is odd
	for y := range n {
		periodic := k.near[:half+2]
		sum(periodic, row(below, (y-1)>>1, half), row(below, y>>1, half), row(above, (y-1)>>1, half), row(above, y>>1, half))
		wrap(periodic, half)
		prolong(row(to, y, n), periodic)
	}
}
