package ssor

import (
	"math"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
)

// neighbourhood is a point and its neighbours in one dimension, at the distances -2 to 2.
type neighbourhood [5]vector

// residual returns what their differences contribute to the residual of the point, without the
// fourth differences.
func (h *neighbourhood) residual(k *kernel, in *dimension) vector {
	var u [5][]vector
	var s [3][]state
	for i := range u {
		u[i] = h[i:][:1]
	}
	for i := range s {
		s[i] = make([]state, 1)
		k.derive(s[i], u[1+i])
	}
	second := in.diffusion * k.second
	r := make([]vector, 1)
	k.flux(r, &u, &s, in.d, &[5]float64{1: second, 2: -2 * second, 3: second})
	return r[0]
}

// derivative returns by how much the residual changes if the unknowns at an index change by x.
func (h neighbourhood) derivative(k *kernel, in *dimension, at int, x vector) (slope vector) {
	const step = 1e-5
	up, down := h, h
	for m := range x {
		up[at][m] += step * x[m]
		down[at][m] -= step * x[m]
	}
	a, b := up.residual(k, in), down.residual(k, in)
	for m := range slope {
		slope[m] = (a[m] - b[m]) / (2 * step)
	}
	return slope
}

func example() (*kernel, neighbourhood, vector) {
	p := problemOf(npb.S)
	k := newKernel(&p)
	var h neighbourhood
	for i := range h {
		h[i] = k.at(2+i, 3+2*i, 7-i)
	}
	return k, h, vector{0.3, -0.7, 1.1, 0.4, -0.2}
}

func near(t *testing.T, what string, got, want vector) {
	t.Helper()
	for m := range got {
		if math.Abs(got[m]-want[m]) > 1e-7*(1+math.Abs(want[m])) {
			t.Errorf("%s: component %d is %.10g, want %.10g", what, m, got[m], want[m])
		}
	}
}

// TestGather checks that the contribution of a neighbour is that of the derivative of the residual.
func TestGather(t *testing.T) {
	k, h, x := example()
	lower, upper := k.lower(), k.upper()
	for d := range k.dimensions {
		in := &k.dimensions[d]
		for at, first := range map[int]float64{1: lower.first, 3: upper.first} {
			row, states := make([]vector, 1), make([]state, 1)
			k.derive(states, h[at:])
			k.gather(row, []vector{x}, states, in, 0, first)
			want := h.derivative(k, in, at, x)
			for m := range want {
				want[m] *= relaxation * k.dt
			}
			near(t, "gather", row[0], want)
		}
	}
}

// TestSolve checks, for a point of which the neighbours have no corrections, that the block of the
// point times the solution is the right side; and for the next point, that its neighbour in x
// contributes as one in y or z does.
func TestSolve(t *testing.T) {
	k, h, right := example()
	sweep := k.lower()
	x, states := make([]vector, k.n), make([]state, k.n)
	for i := range states {
		k.derive(states[i:i+1], h[2:])
	}
	x[1], x[2] = right, right
	k.solve(&sweep, x, x, states)
	block := func(x vector) vector {
		product := x
		for d := range k.dimensions {
			for m, slope := range h.derivative(k, &k.dimensions[d], 2, x) {
				product[m] -= k.dt * slope
			}
		}
		return product
	}
	near(t, "first point", block(x[1]), right)
	row := []vector{right}
	k.gather(row, x[1:2], states, &k.dimensions[0], 1, sweep.first)
	near(t, "second point", block(x[2]), row[0])
}
