package adi

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

const tolerance = 1e-8

// The constants of the gas, and the coefficient of the dissipation, by NPB's names.
const (
	C1    = 1.4
	C2    = 0.4
	C3C4  = 0.1
	C1345 = C1 * C1 * C3C4
	Con43 = 4.0 / 3
	dssp  = 0.25
)

// Problem describes a class of a benchmark.
type Problem struct {
	N     int     // there are N x N x N points, those of the boundary included
	Steps int     // number of time steps
	DT    float64 // length of a time step
	// Residual and Error are the reference norms of the right side and of the error, by component.
	Residual, Error [components]float64
	// Operations is what NPB counts for all points in one step.
	Operations float64
}

// Factors are the coefficients of one direction, for one time step.
type Factors struct {
	First     float64 // of first differences: DT / 2h, where h is the distance of two points
	Second    float64 // of second differences: DT / h^2
	Diffusion float64 // of all components' second differences: NPB's dx1 to dx5, all equal
}

// Factors returns the coefficients of a direction: 0, 1, 2 for x, y, z.
func (p *Problem) Factors(direction int) Factors {
	h := 1 / float64(p.N-1)
	f := Factors{First: p.DT / (2 * h), Second: p.DT / (h * h), Diffusion: 0.75}
	if direction == 2 {
		f.Diffusion = 1
	}
	return f
}

// Weights returns the weights of the five points around point i of a line, in the dissipation of
// fourth order.
func (p *Problem) Weights(i int) (w [5]float64) {
	w = [5]float64{1, -4, 6, -4, 1}
	switch i {
	case 1:
		w = [5]float64{0, 0, 5, -4, 1}
	case 2:
		w[0] = 0
	case p.N - 3:
		w[4] = 0
	case p.N - 2:
		w = [5]float64{1, -4, 5, 0, 0}
	}
	for k := range w {
		w[k] *= p.DT * dssp
	}
	return w
}

// norms are sums of squares by component: of the right side, and of the error.
type norms [2 * components]parts.Exact

// checks compares the norms with the reference values.
func (p *Problem) checks(sums []parts.Exact) (checks []verify.Check) {
	volume := float64(p.N-2) * float64(p.N-2) * float64(p.N-2)
	for i, name := range []string{"residual", "error"} {
		want, scale := p.Residual, 1/p.DT
		if i == 1 {
			want, scale = p.Error, 1
		}
		for m := range components {
			checks = append(checks, verify.Check{
				Name: fmt.Sprintf("norm %d of the %s", m+1, name), Tolerance: tolerance,
				Got: math.Sqrt(sums[i*components+m].Float64()/volume) * scale, Want: want[m],
			})
		}
	}
	return checks
}
