package conjugate

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/matrix"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// Config describes a run.
type Config struct {
	// Matrix is A. Run does not change it, so ranks in one process may share it. If it is nil, A
	// is the matrix of Poisson's equation on Grid x Grid points, whose right side and solution
	// are known.
	Matrix *matrix.Sparse
	Grid   int
	// B is the right side. If it is nil, the right side is A times a vector of ones. B requires
	// Matrix.
	B []float64
	// Tolerance ends the iterations: it is the largest accepted residual relative to B, in the
	// 2-norm.
	Tolerance float64
	// Iterations is the largest number of iterations. A result that has not converged by then
	// fails verification.
	Iterations int
	// Progress counts iterations at rank 0. Spoil makes the last element of x wrong.
	verify.Options
}

const (
	maxGrid       = 1 << 12
	minTolerance  = 1e-15
	maxIterations = 1 << 30
	// largest magnitude of elements and of inverses of diagonal elements; keeps sums finite
	largest = 1e100
)

// Validate reports an error if the program cannot run with c, for example if the matrix is not
// symmetric or has a diagonal element that is not positive.
func (c *Config) Validate() error {
	switch {
	case !(c.Tolerance >= minTolerance && c.Tolerance < 1): // written so that NaN fails
		return fmt.Errorf("conjugate: tolerance %g: want at least %g and less than 1", c.Tolerance, minTolerance)
	case c.Iterations < 1 || c.Iterations > maxIterations:
		return fmt.Errorf("conjugate: %d iterations: want 1 to %d", c.Iterations, maxIterations)
	case c.Matrix == nil && (c.Grid < 1 || c.Grid > maxGrid):
		return fmt.Errorf("conjugate: %d x %d grid: want 1 x 1 to %d x %[3]d points", c.Grid, c.Grid, maxGrid)
	case c.Matrix == nil && c.B != nil:
		return fmt.Errorf("conjugate: right side without a matrix")
	case c.Matrix == nil:
		return nil
	case c.B != nil && len(c.B) != c.Matrix.Rows:
		return fmt.Errorf("conjugate: right side has %d elements for a matrix of %d rows", len(c.B), c.Matrix.Rows)
	}
	for i, x := range c.B {
		if !ordinary(x) {
			return fmt.Errorf("conjugate: element %d of the right side is %g: want -%g to %[3]g", i+1, x, largest)
		}
	}
	return definite(c.Matrix)
}

func definite(a *matrix.Sparse) error {
	if a.Rows < 1 || a.Rows != a.Cols {
		return fmt.Errorf("conjugate: %d x %d matrix: want a square one, at least 1 x 1", a.Rows, a.Cols)
	}
	for i := range a.Rows {
		switch d := a.At(i, i); {
		case !(d > 0):
			return fmt.Errorf("conjugate: the matrix is not positive definite: element (%d, %d) is %g", i+1, i+1, d)
		case d < 1/largest:
			return fmt.Errorf("conjugate: element (%d, %d) is %g: want at least %g", i+1, i+1, d, 1/largest)
		}
		columns, values := a.Row(i)
		for k, j := range columns {
			switch v, other := values[k], a.At(int(j), i); {
			case !ordinary(v):
				return fmt.Errorf("conjugate: element (%d, %d) is %g: want -%g to %[4]g", i+1, j+1, v, largest)
			case v != other:
				return fmt.Errorf("conjugate: the matrix is not symmetric: element (%d, %d) is %g, but (%d, %d) is %g", i+1, j+1, v, j+1, i+1, other)
			}
		}
	}
	return nil
}

func ordinary(x float64) bool { return math.Abs(x) <= largest } // false for NaN

func (c *Config) system() (a *matrix.Sparse, b []float64) {
	if c.Matrix == nil {
		return poisson(c.Grid)
	}
	if c.B != nil {
		return c.Matrix, c.B
	}
	b = make([]float64, c.Matrix.Rows)
	for i := range b {
		_, values := c.Matrix.Row(i)
		for _, v := range values {
			b[i] += v
		}
	}
	return c.Matrix, b
}

// poisson returns the 5-point matrix of grid x grid points inside a square: 4 on the diagonal,
// and -1 for each neighbour. The right side belongs to the solution parabola(i) * parabola(j).
// Second differences of parabola are -2, so all elements are integers.
func poisson(grid int) (a *matrix.Sparse, b []float64) {
	n := grid * grid
	a = &matrix.Sparse{Rows: n, Cols: n, Starts: make([]int, 1, n+1), Columns: make([]int32, 0, 5*n), Values: make([]float64, 0, 5*n)}
	put := func(inside bool, column int, value float64) {
		if inside {
			a.Columns, a.Values = append(a.Columns, int32(column)), append(a.Values, value)
		}
	}
	b = make([]float64, n)
	for at := range b {
		i, j := at/grid, at%grid
		put(i > 0, at-grid, -1)
		put(j > 0, at-1, -1)
		put(true, at, 4)
		put(j < grid-1, at+1, -1)
		put(i < grid-1, at+grid, -1)
		a.Starts = append(a.Starts, len(a.Values))
		b[at] = 2 * (parabola(i, grid) + parabola(j, grid))
	}
	return a, b
}

// parabola returns a quadratic function that is 0 just outside the grid.
func parabola(i, grid int) float64 { return float64((i + 1) * (grid - i)) }
