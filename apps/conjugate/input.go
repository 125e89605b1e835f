package conjugate

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/apps/matrix"
)

// Config describes a run.
type Config struct {
	// Matrix is A. Nobody changes it: ranks of one process may have the same. nil stands for the matrix of
	// Poisson's equation on Grid x Grid points, whose right side and solution are known.
	Matrix *matrix.Sparse
	Grid   int
	// B is the right side; nil stands for A times a vector of ones. Without Matrix there is none.
	B []float64
	// Tolerance ends the iterations: the residual relative to B, in the 2-norm.
	Tolerance float64
	// Iterations is the most that are done; if that is not enough, the result is wrong.
	Iterations int
	// Progress, if not nil, is called at rank 0 after each iteration with 1.
	Progress func(iterations int)
	// Spoil makes the last element of x wrong: for those who want to see that it is found.
	Spoil bool
}

const (
	maxGrid       = 1 << 12
	minTolerance  = 1e-15
	maxIterations = 1 << 30
	largest       = 1e100 // element, and 1 / the smallest of the diagonal: products and sums of such are numbers
)

// Validate reports what cannot be run: a matrix, too, that is not symmetric or has an element of the
// diagonal that is not positive.
func (c *Config) Validate() error {
	switch {
	case !(c.Tolerance >= minTolerance && c.Tolerance < 1): // this way round for NaN
		return fmt.Errorf("conjugate: tolerance %g: want at least %g, and less than 1", c.Tolerance, minTolerance)
	case c.Iterations < 1 || c.Iterations > maxIterations:
		return fmt.Errorf("conjugate: %d iterations: want 1 to %d", c.Iterations, maxIterations)
	case c.Matrix == nil && (c.Grid < 1 || c.Grid > maxGrid):
		return fmt.Errorf("conjugate: a grid of %d x %d points: want 1 x 1 to %d x %[3]d", c.Grid, c.Grid, maxGrid)
	case c.Matrix == nil && c.B != nil:
		return fmt.Errorf("conjugate: a right side, but no matrix")
	case c.Matrix == nil:
		return nil
	case c.B != nil && len(c.B) != c.Matrix.Rows:
		return fmt.Errorf("conjugate: a right side of %d elements for a matrix of %d rows", len(c.B), c.Matrix.Rows)
	}
	for i, x := range c.B {
		if !ordinary(x) {
			return fmt.Errorf("conjugate: element %d of the right side is %g: want -%g to %[3]g", i+1, x, largest)
		}
	}
	return definite(c.Matrix)
}

// definite reports what a symmetric and positive definite matrix does not have, as far as that can be seen.
func definite(a *matrix.Sparse) error {
	if a.Rows < 1 || a.Rows != a.Cols {
		return fmt.Errorf("conjugate: a matrix of %d x %d: want a square one, of at least 1 x 1", a.Rows, a.Cols)
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

// system is the matrix and the right side.
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

// poisson is the 5-point matrix of grid x grid points inside a square: 4, and -1 for each neighbour. The right side
// belongs to parabola(i) * parabola(j), whose second differences are -2 parabola: all of them are
// integers.
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

// parabola is 0 on both sides of a grid.
func parabola(i, grid int) float64 { return float64((i + 1) * (grid - i)) }
