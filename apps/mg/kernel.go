package mg

// kernel are buffers for rows. Its methods make one plane each, from planes of n x n numbers, but see
// restrict and prolong.
type kernel struct {
	near, far, centre []float64    // begin with a copy of their last number, and end with one of their first
	sides             [4][]float64 // of row y at y mod 4: below and above it, added up
}

func newKernel(n int) *kernel {
	k := &kernel{near: make([]float64, n+2), far: make([]float64, n+2), centre: make([]float64, n+2)}
	for i := range k.sides {
		k.sides[i] = make([]float64, n)
	}
	return k
}

// The operations on a point of the plane that is made.
const (
	residualOperations = 15
	smoothOperations   = 16
	restrictOperations = 24
	prolongOperations  = 3
)

// wrap fills in both ends of a buffer for n numbers.
func wrap(buffer []float64, n int) { buffer[0], buffer[n+1] = buffer[n], buffer[1] }

// slab are the planes z-1, z and z+1 of a field, each of n x n numbers.
type slab struct {
	*kernel
	below, plane, above []float64
	n                   int
}

// slab begins at row y: around wants it and the rows behind, in order.
func (k *kernel) slab(f field, z, y, n int) slab {
	s := slab{k, f.Row(z - 1), f.Row(z), f.Row(z + 1), n}
	s.side(y - 1)
	s.side(y)
	return s
}

// side adds up what is below and above row y of the plane in the middle.
func (s *slab) side(y int) {
	below, above, sum := row(s.below, y, s.n), row(s.above, y, s.n), s.sides[y&3][:s.n]
	for x := range sum {
		sum[x] = below[x] + above[x]
	}
}

// around adds up rows around row y of the plane in the middle: near are the four beside it, far the four
// diagonally. It wants the sides of rows y-1 and y, and makes that of row y+1.
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

// wrapped is a copy of a row with its ends.
func (k *kernel) wrapped(row []float64) []float64 {
	n := len(row)
	copy(k.centre[1:], row)
	wrap(k.centre, n)
	return k.centre[:n+2]
}

// residual makes plane z of r = v - A u. r may be v.
func (k *kernel) residual(r, v, u field, z, n int) {
	const a0, a2, a3 = -8.0 / 3, 1.0 / 6, 1.0 / 12 // a1 is 0
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
	const c0, c1, c2 = -3.0 / 8, 1.0 / 32, -1.0 / 64 // c3 is 0
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

// restrict makes plane z of a field of n x n x n numbers from one of twice as many each way: number i
// lies on 2i+1 there.
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

// prolong adds to plane z of a field of n x n x n numbers what lies there in one of half as many each
// way: the mean of the nearest, which are one or two each way.
func (k *kernel) prolong(fine, coarse field, z, n int) {
	to, half := fine.Row(z), n/2
	below, above := coarse.Row((z-1)>>1), coarse.Row(z>>1) // the same if z is odd
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

// squares adds up those of a plane, four sums at once: an addition waits for the one before. A plane
// has a multiple of four numbers.
func squares(plane []float64) float64 {
	var s0, s1, s2, s3 float64
	for ; len(plane) >= 4; plane = plane[4:] {
		s0 += plane[0] * plane[0]
		s1 += plane[1] * plane[1]
		s2 += plane[2] * plane[2]
		s3 += plane[3] * plane[3]
	}
	return s0 + s1 + (s2 + s3)
}
