package mg

// whole is a level that one process computes alone.
type whole struct {
	n    int
	u, r *own
}

// wholeFrom returns the levels from n planes down to 2.
func wholeFrom(n int) (levels []whole) {
	for ; n > 1; n /= 2 {
		levels = append(levels, whole{n, newOwn(n, 0, n), newOwn(n, 0, n)})
	}
	return levels
}

// cycle restricts the residual of the first level to the coarsest, and prolongs the correction
// back up; it adds the correction to u of the first level. v is the right side of the first
// level. If v is nil, the residual takes its place, and u starts from zero. After every sweep
// over a level, cycle calls did with the number of points and the operations per point.
func (k *kernel) cycle(levels []whole, v *own, did func(points, operations int)) {
	each := func(l *whole, operations int, f func(z int)) {
		for z := range l.n {
			f(z)
		}
		did(l.n*l.n*l.n, operations)
	}
	for i := range len(levels) - 1 {
		fine, coarse := &levels[i], &levels[i+1]
		each(coarse, restrictOperations, func(z int) { k.restrict(coarse.r, fine.r, z, coarse.n) })
	}
	for i := len(levels) - 1; i >= 0; i-- {
		l, right := &levels[i], levels[i].r
		if i == 0 && v != nil {
			right = v
		} else {
			clear(l.u.numbers)
		}
		if i < len(levels)-1 {
			each(l, prolongOperations, func(z int) { k.prolong(l.u, levels[i+1].u, z, l.n) })
			each(l, residualOperations, func(z int) { k.residual(l.r, right, l.u, z, l.n) })
		}
		each(l, smoothOperations, func(z int) { k.smooth(l.u, l.r, z, l.n) })
	}
}
