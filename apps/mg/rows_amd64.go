package mg

import "golang.org/x/sys/cpu"

// wide reports whether the kernels in assembly can compute rows of n points.
func wide(n int) bool { return n%8 == 0 && cpu.X86.HasAVX2 }

func add(to, a, b []float64) {
	n := len(to)
	if !wide(n) {
		goAdd(to, a, b)
		return
	}
	a, b = a[:n], b[:n]
	add256(n, &to[0], &a[0], &b[0])
}

func around(near, far, next, below, above, before, behind, here, last []float64) {
	n := len(next)
	if !wide(n) {
		goAround(near, far, next, below, above, before, behind, here, last)
		return
	}
	near, far = near[1:][:n], far[1:][:n]
	below, above, before, behind, here, last = below[:n], above[:n], before[:n], behind[:n], here[:n], last[:n]
	around256(n, &near[0], &far[0], &next[0], &below[0], &above[0], &before[0], &behind[0], &here[0], &last[0])
}

func residual(to, from, centre, near, far []float64) {
	n := len(to)
	if !wide(n) {
		goResidual(to, from, centre, near, far)
		return
	}
	from, centre, near, far = from[:n], centre[:n], near[:n+2], far[:n+2]
	residual256(n, &to[0], &from[0], &centre[0], &near[0], &far[0], weight0, weight2, weight3)
}

func (s *smoother) smooth(to, centre, near, far []float64) {
	n := len(to)
	if !wide(n) {
		s.goSmooth(to, centre, near, far)
		return
	}
	centre, near, far = centre[:n+2], near[:n+2], far[:n+2]
	smooth256(n, &to[0], &centre[0], &near[0], &far[0], s[0], s[1], s[2])
}

func restrict(to, centre, near, far []float64) {
	n := len(to)
	if !wide(n) {
		goRestrict(to, centre, near, far)
		return
	}
	centre, near, far = centre[:2*n+2], near[:2*n+2], far[:2*n+2]
	restrict256(n, &to[0], &centre[0], &near[0], &far[0])
}

func sum(to, a, b, c, d []float64) {
	n := len(a)
	if !wide(n) {
		goSum(to, a, b, c, d)
		return
	}
	to, b, c, d = to[1:][:n], b[:n], c[:n], d[:n]
	sum256(n, &to[0], &a[0], &b[0], &c[0], &d[0])
}

func prolong(to, sum []float64) {
	n := len(to) / 2
	if !wide(n) {
		goProlong(to, sum)
		return
	}
	sum = sum[:n+2]
	prolong256(n, &to[0], &sum[0])
}

//go:noescape
func add256(n int, to, a, b *float64)

//go:noescape
func around256(n int, near, far, next, below, above, before, behind, here, last *float64)

//go:noescape
func residual256(n int, to, from, centre, near, far *float64, a0, a2, a3 float64)

//go:noescape
func smooth256(n int, to, centre, near, far *float64, c0, c1, c2 float64)

//go:noescape
func restrict256(n int, to, centre, near, far *float64)

//go:noescape
func sum256(n int, to, a, b, c, d *float64)

//go:noescape
func prolong256(n int, to, sum *float64)
