package mg

// The functions of this file compute one row each. They are the definition of the program's
// arithmetic: kernels in assembly perform the same operations in the same order. A conversion to
// float64 keeps the compiler from fusing a product with a sum, which not all machines can.
//
// near, far, centre and sum are periodic: they have one more number at each end; see wrap.

// Weights of a point in A u, and of its neighbours at the distances sqrt 2 and sqrt 3. Neighbours
// at distance 1 have 0.
const weight0, weight2, weight3 = -8.0 / 3, 1.0 / 6, 1.0 / 12

// smoother has the weights of a point in S r, and of its neighbours at the distances 1 and sqrt 2.
// Neighbours at sqrt 3 have 0.
type smoother [3]float64

func goAdd(to, a, b []float64) {
	a, b = a[:len(to)], b[:len(to)]
	for x := range to {
		to[x] = a[x] + b[x]
	}
}

// goAround adds up the rows around a row of a plane. before and behind are the rows beside it in
// the plane, and below and above the row behind it in the planes below and above; next becomes
// their sum. here and last are such sums for the row itself, and for the row before it. near
// becomes the sum of the four adjacent rows, and far of the four diagonal ones.
func goAround(near, far, next, below, above, before, behind, here, last []float64) {
	n := len(next)
	below, above, before, behind, here, last = below[:n], above[:n], before[:n], behind[:n], here[:n], last[:n]
	near, far = near[1:][:n], far[1:][:n]
	for x := range next {
		sum := below[x] + above[x]
		next[x] = sum
		near[x] = before[x] + behind[x] + here[x]
		far[x] = last[x] + sum
	}
}

func goResidual(to, from, centre, near, far []float64) {
	n := len(to)
	from, centre = from[:n], centre[:n]
	near0, near2, far0, far1, far2 := near[:n], near[2:][:n], far[:n], far[1:][:n], far[2:][:n]
	for x := range to {
		to[x] = from[x] - float64(weight0*centre[x]) - float64(weight2*(far1[x]+near0[x]+near2[x])) - float64(weight3*(far0[x]+far2[x]))
	}
}

func (s *smoother) goSmooth(to, centre, near, far []float64) {
	n := len(to)
	left, mid, right := centre[:n], centre[1:][:n], centre[2:][:n]
	near0, near1, near2, far1 := near[:n], near[1:][:n], near[2:][:n], far[1:][:n]
	for x := range to {
		to[x] += float64(s[0]*mid[x]) + float64(s[1]*(left[x]+right[x]+near1[x])) + float64(s[2]*(far1[x]+near0[x]+near2[x]))
	}
}

// goRestrict computes a row of half as many points as the other rows have.
func goRestrict(to, centre, near, far []float64) {
	for x := range to {
		c, near, far := centre[2*x+1:][:3], near[2*x+1:][:3], far[2*x+1:][:3]
		to[x] = c[1]/2 + (c[0]+c[2]+near[1])/4 + (near[0]+near[2]+far[1])/8 + (far[0]+far[2])/16
	}
}

func goSum(sum, a, b, c, d []float64) {
	n := len(a)
	sum, b, c, d = sum[1:][:n], b[:n], c[:n], d[:n]
	for x := range sum {
		sum[x] = a[x] + b[x] + c[x] + d[x]
	}
}

// goProlong adds to a row of twice as many points as sum has.
func goProlong(to, sum []float64) {
	n := len(to) / 2
	left, mid := sum[:n], sum[1:][:n]
	for x := range left {
		pair := to[2*x:][:2]
		pair[0] += (left[x] + mid[x]) / 8
		pair[1] += mid[x] / 4
	}
}
