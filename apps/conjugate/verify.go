package conjugate

import (
	"fmt"
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/matrix"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

const roundoff = 0x1p-53

// Result is the outcome at one rank.
type Result struct {
	verify.Result
	X []float64 // the solution, at rank 0
}

// result verifies the whole of x. Operations are two per matrix element and twelve per row in
// each iteration, plus the products for the true residuals.
func (s *solver) result(took fagus.Time, a *matrix.Sparse, b, x []float64) Result {
	r := Result{X: x}
	r.Time = took
	r.Operations = float64(s.iterations-s.begun[0])*operations(len(a.Values), a.Rows) + 2*float64((len(s.residuals)-s.begun[1])*len(a.Values))
	r.Lines = []string{fmt.Sprintf("%d iterations, %d true residuals; x is from %.10g to %.10g", s.iterations, len(s.residuals), slices.Min(x), slices.Max(x))}
	// The tolerance allows for sums in another order.
	r.Checks = []verify.Check{{Name: "|b - A x| / |b|", Got: residual(a, b, x), Tolerance: s.Tolerance * (1 + 1e-6)}}
	if s.Matrix == nil {
		r.Checks = append(r.Checks, s.known(x))
	}
	return r
}

func operations(elements, rows int) float64 { return 2*float64(elements) + 12*float64(rows) }

// residual returns |b - A x|, relative to |b| unless that is 0.
func residual(a *matrix.Sparse, b, x []float64) float64 {
	rest, length := 0.0, 0.0
	for i := range b {
		columns, values := a.Row(i)
		sum := 0.0
		for k, j := range columns {
			sum += values[k] * x[j]
		}
		rest, length = math.Hypot(rest, b[i]-sum), math.Hypot(length, b[i])
	}
	if length == 0 {
		return rest
	}
	return rest / length
}

// known compares x with the solution of Poisson's equation. The error of x is at most the
// residual times the condition number, which follows from the known eigenvalues of the matrix.
// The residual itself is uncertain by up to six roundings of its terms.
func (s *solver) known(x []float64) verify.Check {
	wrong, length := 0.0, 0.0
	for at, v := range x {
		want := parabola(at/s.Grid, s.Grid) * parabola(at%s.Grid, s.Grid)
		wrong, length = math.Hypot(wrong, v-want), math.Hypot(length, want)
	}
	condition := math.Pow(math.Tan(math.Pi/2/float64(s.Grid+1)), -2)
	return verify.Check{Name: "|x - known| / |known|", Got: wrong / length, Tolerance: condition * (s.Tolerance + 6*roundoff*condition)}
}
