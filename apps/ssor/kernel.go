package ssor

// vector has the five unknowns of a point, per volume: density, momentum in x, y and z, and energy.
// A residual and a correction have the same five components.
type vector = [5]float64

// components is the number of components of a vector.
const components = len(vector{})

// state has what the unknowns of a point determine. It fills a cache line.
type state struct {
	velocity [3]float64
	volume   float64 // 1/density
	energy   float64 // per mass
	kinetic  float64 // kinetic energy per mass
	// Reciprocals of diagonal elements of the point's block: see solve.
	perMomentum, perEnergy float64
}

// Constants of the equations.
const (
	gamma      = 1.4 // ratio of specific heats: NPB's c1; its c2 is gamma-1
	viscosity  = 0.1 // c3 c4
	conduction = gamma * 1.4
	relaxation = 1.2 // omega

	dissipation = 0.25 // weight of fourth differences
)

// kernel has the coefficients of a class. Those of x, y and z coincide, but for the diffusion: the
// grid has n points in each dimension.
type kernel struct {
	n          int
	dt         float64
	first      float64 // weight of first differences: 1/2h
	second     float64 // weight of second differences: 1/h^2
	dimensions [3]dimension

	perDensity, momentum, energy float64 // of a point's block: see solve

	line []vector // buffer for a row
}

// dimension is x, y or z.
type dimension struct {
	d         int
	diffusion float64
	weights   [][5]float64 // by point: of the unknowns at the distances -2 to 2
	exact     []vector     // by point: what this coordinate contributes to the exact solution
}

func newKernel(p *problem) *kernel {
	h := 1 / float64(p.n-1)
	k := &kernel{n: p.n, dt: p.dt, first: 1 / (2 * h), second: 1 / (h * h), line: make([]vector, p.n)}
	diffusions := [3]float64{0.75, 0.75, 1}
	for d, diffusion := range diffusions {
		k.dimensions[d] = dimension{d, diffusion, k.weigh(diffusion), exactAlong(d, p.n)}
	}
	both := 2 * p.dt * k.second // of both neighbours in a dimension
	k.perDensity = 1 / (1 + both*(diffusions[0]+diffusions[1]+diffusions[2]))
	k.momentum = both * viscosity * (1 + 1 + 4.0/3)
	k.energy = both * viscosity * conduction * 3
	return k
}

// weigh returns the weights of unknowns at the distances -2 to 2 from each inner point, in second
// and fourth differences. Points of the boundary have no part in fourth differences.
func (k *kernel) weigh(diffusion float64) [][5]float64 {
	weights := make([][5]float64, k.n)
	for i := 1; i < k.n-1; i++ {
		w := &weights[i]
		*w = [5]float64{-dissipation, 4 * dissipation, -6 * dissipation, 4 * dissipation, -dissipation}
		if i == 1 || i == k.n-2 {
			w[2] += dissipation
		}
		for at := range w {
			if i+at-2 < 1 || i+at-2 > k.n-2 {
				w[at] = 0
			}
		}
		w[1] += diffusion * k.second
		w[2] -= 2 * diffusion * k.second
		w[3] += diffusion * k.second
	}
	return weights
}

// derive computes the states of points from their unknowns.
func (k *kernel) derive(states []state, u []vector) {
	u = u[:len(states)]
	diagonal := 1 / k.perDensity
	for i := range states {
		s, u := &states[i], &u[i]
		volume := 1 / u[0]
		x, y, z := volume*u[1], volume*u[2], volume*u[3]
		s.velocity[0], s.velocity[1], s.velocity[2] = x, y, z
		s.volume, s.energy, s.kinetic = volume, volume*u[4], (x*x+y*y+z*z)/2
		s.perMomentum, s.perEnergy = 1/(diagonal+k.momentum*volume), 1/(diagonal+k.energy*volume)
	}
}

// enthalpy returns the enthalpy per mass.
func (s *state) enthalpy() float64 { return gamma*s.energy - (gamma-1)*s.kinetic }

// heat returns what diffuses as energy. v is the velocity in the dimension of the differences.
func (s *state) heat(v float64) float64 {
	return conduction*s.energy + (1-conduction)*s.kinetic + v*v/6
}

func pressure(u *vector, s *state) float64 { return (gamma - 1) * (u[4] - s.kinetic*u[0]) }
