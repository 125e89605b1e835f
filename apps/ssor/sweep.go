package ssor

// sweep is one of the two sweeps of an iteration. The lower one goes through the points in the
// ascending order of their coordinates, and computes the correction of a point from the residual
// and from the corrections of the three points before it. The upper one goes in descending order,
// and changes the corrections.
//
// Two neighbours are coupled by a 5 x 5 block: the derivative of the flux between them. NPB forms
// these blocks. Here their products with corrections are computed from the velocities, the enthalpy
// and the like of the neighbour, with half of the operations.
type sweep struct {
	step  int     // +1 or -1
	scale float64 // factor of what a row begins with: the residual in the lower sweep
	first float64 // weight of the convective flux
	keep  float64 // factor of the correction to which the sweep adds its own
}

func (k *kernel) lower() sweep {
	return sweep{step: 1, scale: k.dt, first: relaxation * k.dt * k.first}
}

func (k *kernel) upper() sweep {
	return sweep{step: -1, first: -relaxation * k.dt * k.first, keep: 1}
}

// gather multiplies a row by scale, and adds what the neighbours in y or z contribute: x are their
// corrections, and states their states.
func (k *kernel) gather(row, x []vector, states []state, in *dimension, scale, first float64) {
	x, states = x[:len(row)], states[:len(row)]
	d := in.d
	second := relaxation * k.dt * k.second
	diffusion, second := second*in.diffusion, second*viscosity
	for i := range row {
		to, x, s := &row[i], &x[i], &states[i]
		x0, x1, x2, x3, x4, along := x[0], x[1], x[2], x[3], x[4], x[1+d]
		v0, v1, v2, v := s.velocity[0], s.velocity[1], s.velocity[2], s.velocity[d]
		work := v0*x1 + v1*x2 + v2*x3
		pressure := (gamma - 1) * (x4 - work + s.kinetic*x0)
		enthalpy := s.enthalpy()
		mass, convection, friction := first*along, first*v, second*s.volume
		both, change := convection+friction, along-v*x0
		to[0] = scale*to[0] + mass + diffusion*x0
		to[1] = scale*to[1] + mass*v0 + both*(x1-v0*x0) + diffusion*x1
		to[2] = scale*to[2] + mass*v1 + both*(x2-v1*x0) + diffusion*x2
		to[3] = scale*to[3] + mass*v2 + both*(x3-v2*x0) + diffusion*x3
		to[4] = scale*to[4] + mass*enthalpy + convection*(x4+pressure-enthalpy*x0) + diffusion*x4 +
			friction*((1-conduction)*(work-2*s.kinetic*x0)+conduction*(x4-s.energy*x0)+v*change/3)
		to[1+d] += first*pressure + friction/3*change
	}
}

// solve finishes a row: it adds what the neighbours in x contribute, as gather does, and multiplies
// by the inverse of the block of each point. This block is lower triangular:
//
//	1 + D                             D: diffusion
//	-P v u     1 + D + P v            u: velocity (three rows and columns), v: volume
//	-Q v 2k - R v e   Q v u   1 + D + R v
//
// P is k.momentum, R is k.energy, Q = P - R; k is the kinetic and e the whole energy.
func (k *kernel) solve(sw *sweep, x, row []vector, states []state) {
	x, row, states = x[:k.n], row[:k.n], states[:k.n]
	first, second := sw.first, relaxation*k.dt*k.second
	diffusion, second := second*k.dimensions[0].diffusion, second*viscosity
	p, q, keep := k.momentum, k.momentum-k.energy, sw.keep
	i, end := 1, k.n-1
	if sw.step < 0 {
		i, end = k.n-2, 0
	}
	s := &states[i-sw.step]
	var x0, x1, x2, x3, x4 float64 // of the point before; at the boundary there is no correction
	for ; i != end; i += sw.step {
		r := &row[i]
		v0, v1, v2 := s.velocity[0], s.velocity[1], s.velocity[2]
		work := v0*x1 + v1*x2 + v2*x3
		pressure := (gamma - 1) * (x4 - work + s.kinetic*x0)
		enthalpy := s.enthalpy()
		mass, convection, friction := first*x1, first*v0, second*s.volume
		both, change := convection+friction, x1-v0*x0
		r0 := r[0] + mass + diffusion*x0
		r1 := r[1] + mass*v0 + (both+friction/3)*change + diffusion*x1 + first*pressure
		r2 := r[2] + mass*v1 + both*(x2-v1*x0) + diffusion*x2
		r3 := r[3] + mass*v2 + both*(x3-v2*x0) + diffusion*x3
		r4 := r[4] + mass*enthalpy + convection*(x4+pressure-enthalpy*x0) + diffusion*x4 +
			friction*((1-conduction)*(work-2*s.kinetic*x0)+conduction*(x4-s.energy*x0)+v0*change/3)

		s = &states[i]
		v0, v1, v2 = s.velocity[0], s.velocity[1], s.velocity[2]
		r0 *= k.perDensity
		volume := s.volume * r0
		r1 = (r1 + p*volume*v0) * s.perMomentum
		r2 = (r2 + p*volume*v1) * s.perMomentum
		r3 = (r3 + p*volume*v2) * s.perMomentum
		r4 = (r4 + volume*(2*q*s.kinetic+k.energy*s.energy) - q*s.volume*(v0*r1+v1*r2+v2*r3)) * s.perEnergy
		to := &x[i]
		x0, x1, x2, x3, x4 = keep*to[0]+r0, keep*to[1]+r1, keep*to[2]+r2, keep*to[3]+r3, keep*to[4]+r4
		to[0], to[1], to[2], to[3], to[4] = x0, x1, x2, x3, x4
	}
}

// sweep sweeps over the rows y from lo to hi-1 of all planes. before returns such a row of the
// corrections of the plane before the first one, in the order of the sweep.
func (b *block) sweep(sw *sweep, rows batch, before func(y int) []vector) {
	begin, endZ, beginY, endY := b.lo, b.hi, rows.lo, rows.hi
	if sw.step < 0 {
		begin, endZ, beginY, endY = b.hi-1, b.lo-1, rows.hi-1, rows.lo-1
	}
	last := b.n - 1
	for z := begin; z != endZ; z += sw.step {
		for y := beginY; y != endY; y += sw.step {
			x := b.row(z, y)
			row := x
			if sw.step < 0 {
				row = b.line
			}
			var beside []vector
			if z == begin {
				beside = before(y)
			} else {
				beside = b.row(z-sw.step, y)
			}
			b.gather(row[1:last], beside[1:last], b.state(z-sw.step, y)[1:last], &b.dimensions[2], sw.scale, sw.first)
			b.gather(row[1:last], b.row(z, y-sw.step)[1:last], b.state(z, y-sw.step)[1:last], &b.dimensions[1], 1, sw.first)
			b.solve(sw, x, row, b.state(z, y))
		}
	}
}
