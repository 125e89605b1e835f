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
		from, to := s.rows[y], forcing[y*s.u.length:]
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
			u[k], r[k] = s.u.row(z, first+k), s.rows[first+k]
		}
		b.along(b.u, &u, &order)
		b.along(b.r, &r, &order)
		s.solver.Solve(0, b.u, b.r)
		b.backAlong(&r, y-first, &order)
	}
	order = s.solver.Order(1)
	for y := range n {
		b.from[y], b.to[y] = s.u.row(z, y), s.r.row(z, y)
	}
	for x := 1; x < n-1; x += 4 {
		first := min(x, n-5)
		b.across(b.u, b.from, first, &order)
		b.across(b.r, s.rows, first, &order)
		s.solver.Solve(1, b.u, b.r)
		b.storeAcross(b.to, first, x-first, &order)
	}
}

// solveRow solves along z in row y of all planes, and adds the solution to u.
func (s *sweeper) solveRow(y int) {
	b, n := s.batch, s.N
	order := s.solver.Order(2)
	for z := range n {
		b.from[z], b.to[z] = s.r.row(z, y), s.u.row(z, y)
	}
	for x := 1; x < n-1; x += 4 {
		first := min(x, n-5)
		b.across(b.u, b.to, first, &order)
		b.across(b.r, b.from, first, &order)
		s.solver.Solve(2, b.u, b.r)
		b.addAcross(b.to, first, x-first, &order)
	}
}

// addResidual adds the squares of the right side of plane z to sums.
func (s *sweeper) addResidual(sums *norms, z int, forcing []float64) {
	s.compute(z, forcing)
	for m := range components {
		sum := 0.0
		for y := 1; y < s.N-1; y++ {
			for _, r := range s.rows[y][m*s.N:][:s.N][1 : s.N-1] {
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
