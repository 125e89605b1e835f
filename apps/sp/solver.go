package sp

import "github.com/fagus-dsm/fagus/apps/internal/npb/adi"

type (
	quad   = adi.Quad
	vector = [5]quad // of a point of four lines
)

// factors are the coefficients of one direction. The kernels in assembly know their places.
type factors struct {
	first, second float64
	diffusion     float64 // on the diagonal
	viscosity     float64 // by 1/density
}

// solver solves three scalar pentadiagonal systems for each of four lines: one for the first three
// characteristic variables, and one for each of the last two.
type solver struct {
	factors [3]factors
	weights [][5]float64 // of the dissipation, by point
	flow    []flow       // by point; the first and the last are of the ends
	upper   []upper      // by point, after two that are zero
	zero    vector
}

// flow has what the systems depend on at a point: the differences of the velocity in the direction
// of the lines, of the viscosity, and of the speed of sound, for one step.
type flow [3]quad

// upper has the two diagonals above the main one after elimination, for each system.
type upper [3][2]quad

func newSolver(p *adi.Problem) *solver {
	s := &solver{weights: make([][5]float64, p.N-2), flow: make([]flow, p.N), upper: make([]upper, p.N)}
	for d := range s.factors {
		f := p.Factors(d)
		s.factors[d] = factors{f.First, f.Second, f.Diffusion, adi.C1 * adi.C1 * adi.C3C4}
	}
	for i := range s.weights {
		s.weights[i] = p.Weights(1 + i)
	}
	return s
}

// Order leaves the components in their order.
func (s *solver) Order(int) [5]int { return [5]int{0, 1, 2, 3, 4} }

// Solve solves the systems. It multiplies the right side before x, and the solutions after each
// direction, by the matrices that turn unknowns into the characteristic variables of the next
// direction, and back.
func (s *solver) Solve(direction int, u, r []vector) {
	enter(s.flow[1:][:len(u)], u, r, direction, &s.factors[direction])
	eliminate(s.upper, s.flow, s.weights, r, &s.zero)
	substitute(s.upper[2:], r)
	leave(u, r, direction)
}
