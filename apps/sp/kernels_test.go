package sp

import (
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// lines are the operands of the kernels.
type lines struct {
	solver
	u, r []vector
}

// drawn returns operands that depend only on the seed.
func drawn(seed uint64) lines {
	p := problemOf(npb.W)
	x := lines{solver: *newSolver(p), u: make([]vector, p.N-2), r: make([]vector, p.N-2)}
	next := func() float64 { seed++; return 1 + float64(verify.Mix(seed)>>11)/(1<<53) }
	for i := range x.u {
		for m := range x.u[i] {
			for l := range 4 {
				x.u[i][m][l], x.r[i][m][l] = next(), next()
			}
		}
		for l := range 4 {
			x.u[i][4][l] += 10 // more than the kinetic energy
		}
		for s := range x.upper[2+i] {
			for k := range x.upper[2+i][s] {
				for l := range 4 {
					x.upper[2+i][s][k][l] = next()
				}
			}
		}
		for k := range x.flow[1+i] {
			for l := range 4 {
				x.flow[1+i][k][l] = next()
			}
		}
	}
	return x
}

func (x *lines) equal(y *lines) bool {
	return slices.Equal(x.r, y.r) && slices.Equal(x.flow, y.flow) && slices.Equal(x.upper, y.upper)
}

// TestSameBits checks that the kernels of this processor compute the bits of the kernels in Go.
func TestSameBits(t *testing.T) {
	check := func(what string, kernel, inGo func(x *lines)) {
		got, want, begin := drawn(1), drawn(1), drawn(1)
		kernel(&got)
		inGo(&want)
		if !got.equal(&want) {
			t.Errorf("%s differs from the kernel in Go", what)
		}
		if want.equal(&begin) {
			t.Errorf("%s changes nothing", what)
		}
	}
	for d, direction := range []string{"x", "y", "z"} {
		check("enter "+direction, func(x *lines) { enter(x.flow[1:], x.u, x.r, d, &x.factors[d]) },
			func(x *lines) { goEnter(x.flow[1:], x.u, x.r, d, &x.factors[d]) })
		check("leave "+direction, func(x *lines) { leave(x.u, x.r, d) }, func(x *lines) { goLeave(x.u, x.r, d) })
	}
	check("eliminate", func(x *lines) { eliminate(x.upper, x.flow, x.weights, x.r, &x.zero) },
		func(x *lines) { goEliminate(x.upper, x.flow, x.weights, x.r, &x.zero) })
	check("substitute", func(x *lines) { substitute(x.upper[2:], x.r) }, func(x *lines) { goSubstitute(x.upper[2:], x.r) })
}
