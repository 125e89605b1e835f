package bt

import "github.com/fagus-dsm/fagus/apps/internal/npb/adi"

type (
	vector = [5]adi.Quad    // of a point of four lines
	block  = [5][5]adi.Quad // [row][column]
)

// factors are the coefficients of the Jacobians in one direction, for one step. The kernels in
// assembly know their places.
type factors struct {
	first, firstC2, minusC2     float64 // of first differences; multiplied by c2 and -c2
	diffusion                   float64 // on the diagonal, of second differences
	viscosity, normal, energy   float64 // of second differences, by 1/density
	normalEnergy, viscousEnergy float64 // normal and viscosity less energy
	c1, c2, two, twice          float64 // two is 2-c2, and twice is 2*c2
	half, one                   float64
}

func newFactors(f adi.Factors) factors {
	k := factors{
		first: f.First, firstC2: f.First * adi.C2, minusC2: -f.First * adi.C2, diffusion: f.Diffusion * f.Second,
		viscosity: adi.C3C4 * f.Second, normal: adi.Con43 * adi.C3C4 * f.Second, energy: adi.C1345 * f.Second,
		c1: adi.C1, c2: adi.C2, two: 2 - adi.C2, twice: 2 * adi.C2, half: 0.5, one: 1,
	}
	k.normalEnergy, k.viscousEnergy = k.normal-k.energy, k.viscosity-k.energy
	return k
}

// solver solves block-tridiagonal systems of four lines. Block a of a point multiplies the solution
// at the point before, b at the point itself, and c at the point after.
type solver struct {
	factors [3]factors
	a       [3]block // of point i at i%3
	b       [2]block // of point i at i%2
	c       []block  // of point i at 1+i; the first is of the end, and zero
	zero    vector
}

func newSolver(p *adi.Problem) *solver {
	s := &solver{c: make([]block, p.N)}
	for d := range s.factors {
		s.factors[d] = newFactors(p.Factors(d))
	}
	return s
}

// Order puts the momentum in the direction of the lines first. So the Jacobians of all directions
// have the same form.
func (s *solver) Order(direction int) [5]int {
	return [3][5]int{{0, 1, 2, 3, 4}, {0, 2, 1, 3, 4}, {0, 3, 1, 2, 4}}[direction]
}

// Solve eliminates from the first point to the last, and substitutes back.
func (s *solver) Solve(direction int, u, r []vector) {
	k := &s.factors[direction]
	c := s.c[1:][:len(u)]
	jacobians(&s.a[1], &s.b[0], &s.c[0], &u[0], k)
	s.a[0], s.c[0] = block{}, block{}
	before := &s.zero
	for i := range u {
		if i+1 < len(u) {
			jacobians(&s.a[(i+2)%3], &s.b[(i+1)%2], &c[i], &u[i+1], k)
		}
		eliminate(&s.a[i%3], &s.b[i%2], &s.c[i], &c[i], before, &r[i])
		before = &r[i]
	}
	substitute(c, r)
}
