package conjugate

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/matrix"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// batch is the number of elements whose sum is rounded. Sums of batches are added exactly.
const batch = 64

// IndefiniteError reports that the matrix is not positive definite.
type IndefiniteError struct {
	Iteration int
	Value     float64 // p'Ap for some vector p other than 0
}

// Error describes the matrix's defect.
func (e *IndefiniteError) Error() string {
	return fmt.Sprintf("conjugate: the matrix is not positive definite: p'Ap is %g in iteration %d, want a number above 0", e.Value, e.Iteration)
}

// solver solves a system for some rows. Only multiply and sum use data of other rows.
type solver struct {
	Config
	b, scale   []float64 // the right side, and 1 / the diagonal
	x, r, z, q []float64
	// p is the part, for these rows, of the vector that is multiplied. Other ranks read it: only
	// functions given to write may write it, and only functions given to multiply may read it.
	p          []float64
	write      func(f func()) error
	multiply   func(product []float64, f func()) error // multiplies by the matrix, and calls f
	sum        func(sums *[2]parts.Exact) error        // adds up the sums of all ranks
	length     float64                                 // 2-norm of the whole right side
	iterations int
	residuals  []float64    // all true residuals computed so far
	rz         float64      // the product of r and z at the time of the call of cut
	begun      [2]int       // iterations and residuals of the runs that this one resumes
	cut        func() error // saves x, r, p, iterations, residuals and rz
}

// newSolver returns a solver for the rows lo to hi-1. The caller sets p and the functions.
func newSolver(cfg Config, a *matrix.Sparse, b []float64, lo, hi int) *solver {
	s := &solver{Config: cfg, b: b[lo:hi], scale: make([]float64, hi-lo)}
	for _, v := range []*[]float64{&s.x, &s.r, &s.z, &s.q} {
		*v = make([]float64, hi-lo)
	}
	for i := range s.scale {
		s.scale[i] = 1 / a.At(lo+i, lo+i)
	}
	return s
}

// solve iterates until the true residual is small enough, until rounding keeps it from shrinking,
// or for the largest number of iterations.
func (s *solver) solve() error {
	length, _, err := s.dots(s.b, s.b, nil, nil)
	if err != nil {
		return err
	}
	s.length = math.Sqrt(length)
	if len(s.residuals) > 0 { // they belong to a run that this one resumes
		if err := s.iterate(s.rz); err != nil {
			return err
		}
	}
	for s.iterations < s.Iterations {
		if err := s.write(func() { copy(s.p, s.x) }); err != nil {
			return err
		}
		if err := s.multiply(s.q, func() {}); err != nil {
			return err
		}
		for i, b := range s.b {
			s.r[i] = b - s.q[i]
			s.z[i] = s.r[i] * s.scale[i]
		}
		rz, rr, err := s.dots(s.r, s.z, s.r, s.r)
		if err != nil {
			return err
		}
		s.residuals = append(s.residuals, math.Sqrt(rr))
		if last := len(s.residuals) - 1; s.enough(rr) || last > 0 && s.residuals[last] > s.residuals[last-1]/2 {
			return nil
		}
		if err := s.write(func() { copy(s.p, s.z) }); err != nil {
			return err
		}
		if err := s.iterate(rz); err != nil {
			return err
		}
	}
	return nil
}

// enough reports whether a residual is small enough, given its square.
func (s *solver) enough(square float64) bool { return math.Sqrt(square) <= s.Tolerance*s.length }

// iterate improves x, whose r and p are set, until the recurrence's residual is small enough. If
// cut fails, the next call returns the error, too.
func (s *solver) iterate(rz float64) error {
	for s.rz = rz; s.iterations < s.Iterations && s.cut() == nil; s.rz = rz {
		s.iterations++
		var sums [2]parts.Exact
		if err := s.multiply(s.q, func() { dot(&sums[0], s.p, s.q) }); err != nil {
			return err
		}
		pq, _, err := s.total(&sums)
		if err != nil {
			return err
		}
		if !(pq > 0) || math.IsInf(pq, 1) {
			return &IndefiniteError{s.iterations, pq}
		}
		alpha := rz / pq
		advance(s.r, s.z, s.q, s.scale, alpha)
		before, rr := rz, 0.0
		if rz, rr, err = s.dots(s.r, s.z, s.r, s.r); err != nil {
			return err
		}
		s.Advance(1)
		// x follows here, where p may be read and written, so that p is read once.
		if err := s.write(func() { turn(s.x, s.p, s.z, alpha, rz/before) }); err != nil || s.enough(rr) {
			return err
		}
	}
	return nil
}

// dots returns the dot products of two pairs of vectors, over all rows.
func (s *solver) dots(a, b, c, d []float64) (ab, cd float64, err error) {
	var sums [2]parts.Exact
	dot(&sums[0], a, b)
	dot(&sums[1], c, d)
	return s.total(&sums)
}

// total adds up the sums of all ranks, and returns them.
func (s *solver) total(sums *[2]parts.Exact) (ab, cd float64, err error) {
	if err := s.sum(sums); err != nil {
		return 0, 0, err
	}
	return sums[0].Float64(), sums[1].Float64(), nil
}

// dot adds the dot product of a and b to sum, one rounded batch at a time.
func dot(sum *parts.Exact, a, b []float64) {
	for len(a) > 0 {
		n := min(batch, len(a))
		sum.Add(matrix.Dot(a[:n], b[:n]))
		a, b = a[n:], b[n:]
	}
}

// advance updates r and z for a step of alpha along p. q is the matrix times p.
func advance(r, z, q, scale []float64, alpha float64) {
	z, q, scale = z[:len(r)], q[:len(r)], scale[:len(r)]
	for i := range r {
		r[i] -= alpha * q[i]
		z[i] = r[i] * scale[i]
	}
}

// turn moves x by alpha along p, and computes the next direction p.
func turn(x, p, z []float64, alpha, beta float64) {
	x, z = x[:len(p)], z[:len(p)]
	for i, d := range p {
		x[i] += alpha * d
		p[i] = z[i] + beta*d
	}
}

func times(a *matrix.Sparse, lo int, v, product []float64) {
	begin := a.Starts[lo]
	for i, end := range a.Starts[lo+1:][:len(product)] {
		values, sum := a.Values[begin:end], 0.0
		for k, j := range a.Columns[begin:end][:len(values)] {
			sum += values[k] * v[j]
		}
		product[i] = sum
		begin = end
	}
}
