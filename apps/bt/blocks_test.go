package bt

import (
	"math"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// blocks are the operands of the kernels.
type blocks struct {
	a, b, before, c block
	lines           [3]block // blocks by point
	u, r, x         vector
	points          [3]vector
}

// drawn returns operands that depend only on the seed. Blocks b have large diagonals.
func drawn(seed uint64) (x blocks) {
	next := func() float64 { seed++; return 1 + float64(verify.Mix(seed)>>11)/(1<<53) }
	fill := func(v *vector) {
		for m := range v {
			for l := range v[m] {
				v[m][l] = next()
			}
		}
	}
	for _, b := range []*block{&x.a, &x.b, &x.before, &x.c, &x.lines[0], &x.lines[1], &x.lines[2]} {
		for m := range b {
			fill(&b[m])
		}
	}
	for m := range x.b {
		for l := range x.b[m][m] {
			x.b[m][m][l] += 50
		}
	}
	for _, v := range []*vector{&x.u, &x.r, &x.x, &x.points[0], &x.points[1], &x.points[2]} {
		fill(v)
	}
	return x
}

func same(t *testing.T, what string, got, want *blocks) {
	t.Helper()
	if *got != *want {
		t.Errorf("%s differs from the kernel in Go", what)
	}
	if *got == drawn(1) {
		t.Errorf("%s changes nothing", what)
	}
}

// TestSameBits checks that the kernels of this processor compute the bits of the kernels in Go.
func TestSameBits(t *testing.T) {
	k := newSolver(problemOf(npb.W)).factors[2]
	got, want := drawn(1), drawn(1)
	got.a, want.a = block{}, block{} // no kernel writes its zeros
	jacobians(&got.a, &got.b, &got.c, &got.u, &k)
	goJacobians(&want.a, &want.b, &want.c, &want.u, &k)
	same(t, "jacobians", &got, &want)
	got, want = drawn(1), drawn(1)
	eliminate(&got.a, &got.b, &got.before, &got.c, &got.x, &got.r)
	goEliminate(&want.a, &want.b, &want.before, &want.c, &want.x, &want.r)
	same(t, "eliminate", &got, &want)
	got, want = drawn(1), drawn(1)
	substitute(got.lines[:], got.points[:])
	goSubstitute(want.lines[:], want.points[:])
	same(t, "substitute", &got, &want)
}

// TestInverse checks that eliminate multiplies by the inverse of b - a times before.
func TestInverse(t *testing.T) {
	x := drawn(1)
	begin := x
	goEliminate(&x.a, &x.b, &x.before, &x.c, &x.x, &x.r)
	for l := range 4 {
		for m := range 5 {
			want := begin.r[m][l]
			for n := range 5 {
				want -= begin.a[m][n][l] * begin.x[n][l]
			}
			got := 0.0
			for n := range 5 {
				b := begin.b[m][n][l]
				for k := range 5 {
					b -= begin.a[m][k][l] * begin.before[k][n][l]
				}
				got += b * x.r[n][l]
			}
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("line %d, row %d: the solution gives %g, want %g", l, m, got, want)
			}
		}
	}
}
