package adi

// sweeper makes the sweeps of a time step: over planes, and over rows of all planes.
type sweeper struct {
	*Problem
	*rhs
	solver Solver
	batch  *batch
	u, r   *cube
}

func newSweeper(p *Problem, solver Solver, u, r *cube) *sweeper {
	return &sweeper{p, newRHS(p, u), solver, newBatch(p.N), u, r}
}

// force computes the forcing of plane z from the exact solution, which u has.
func (s *sweeper) force(z int, forcing []float64) {
	s.compute(z, nil)
	clear(forcing)
	for y := 1; y < s.N-1; y++ {
		from, to := s.row(y), forcing[y*s.u.length:]
		for m := range components {
			for x := 1; x < s.N-1; x++ {
				to[m*s.N+x] = -from[m*s.N+x]
			}
		}
	}
}

// solvePlane computes the right side of plane z, and solves along x and y.
func (s *sweeper) solvePlane(z int, forcing []float64) {
	s.compute(z, forcing)
	b, n := s.batch, s.N
	order := s.solver.Order(0)
	for y := 1; y < n-1; y += 4 {
		first := min(y, n-5) // the last four lines overlap the four before
		var u, r [4][]float64
		for k := range u {
			u[k], r[k] = s.u.row(z, first+k), s.row(first+k)
		}
		b.along(b.u, &u, &order)
		b.along(b.r, &r, &order)
		s.solver.Solve(0, b.u, b.r)
		b.backAlong(&r, y-first, &order)
	}
	order = s.solver.Order(1)
	u, r, to := s.u.lines(z, 1, 1), crossing{s.plane[s.u.length:], s.u.length}, s.r.lines(z, 1, 1)
	for x := 1; x < n-1; x += 4 {
		first := min(x, n-5)
		b.across(b.u, u, first, &order)
		b.across(b.r, r, first, &order)
		s.solver.Solve(1, b.u, b.r)
		b.storeAcross(to, first, x-first, &order)
	}
}

// solveRow solves along z in row y of all planes, and adds the solution to u.
func (s *sweeper) solveRow(y int) {
	b, n := s.batch, s.N
	order := s.solver.Order(2)
	u, r := s.u.lines(1, y, n), s.r.lines(1, y, n)
	for x := 1; x < n-1; x += 4 {
		first := min(x, n-5)
		b.across(b.u, u, first, &order)
		b.across(b.r, r, first, &order)
		s.solver.Solve(2, b.u, b.r)
		b.addAcross(u, first, x-first, &order)
	}
}

// addResidual adds the squares of the right side of plane z to sums.
func (s *sweeper) addResidual(sums *norms, z int, forcing []float64) {
	s.compute(z, forcing)
	for m := range components {
		sum := 0.0
		for y := 1; y < s.N-1; y++ {
			for _, r := range s.row(y)[m*s.N:][:s.N][1 : s.N-1] {
				sum += r * r
			}
		}
		sums[m].Add(sum)
	}
}

// addError adds the squares of the errors of row y in all planes to sums.
func (s *sweeper) addError(sums *norms, y int) {
	var sum [components]float64
	want := make([]float64, s.u.length)
	for z := range s.N {
		s.addErrors(&sum, s.u.row(z, y), z, y, want)
	}
	for m, x := range sum {
		sums[components+m].Add(x)
	}
}
