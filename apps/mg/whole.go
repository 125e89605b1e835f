package mg

// whole is a level of which one process has all.
type whole struct {
	n    int
	u, r *own
}

// wholeFrom are levels from n planes down to 2.
func wholeFrom(n int) (levels []whole) {
	for ; n > 1; n /= 2 {
		levels = append(levels, whole{n, newOwn(n, 0, n), newOwn(n, 0, n)})
	}
	return levels
}

// cycle goes down levels with the residual of the first, and up again with the correction, which it adds to
// the first's u. v is the right side of the first, or nil: then that is the residual, and u begins as 0. did
// is called after every sweep over a level, with how many points it made, and the operations on each.
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
