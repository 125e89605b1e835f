package stencil

import (
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

func begin(row []float64, i int) {
	for j := range row {
		row[j] = float64(i + j)
	}
}

// star applies the star to row i of the input and adds the results to a row of the output. The
// weight at distance k is 1/(2kr); above and to the left it is negative.
func star(out []float64, input func(i int) []float64, i, radius int) {
	active := len(out) - 2*radius
	out = out[radius:][:active]
	row := input(i)
	for k := 1; k <= radius; k++ {
		weight := 1 / float64(2*k*radius)
		up, down := input(i - k)[radius:][:active], input(i + k)[radius:][:active]
		left, right := row[radius-k:][:active], row[radius+k:][:active]
		add(out, up, down, left, right, weight)
	}
}

// goAdd adds the part of the star at one distance to a row of the output. It is the definition of
// the arithmetic: the kernel in assembly performs the same operations in the same order. The
// conversion keeps the compiler from fusing the product with the sum, which not all machines can.
func goAdd(out, up, down, left, right []float64, weight float64) {
	up, down, left, right = up[:len(out)], down[:len(out)], left[:len(out)], right[:len(out)]
	for j := range out {
		out[j] += float64(weight * (down[j] - up[j] + right[j] - left[j]))
	}
}

// goGrow is grow.
func goGrow(to, from []float64) {
	from = from[:len(to)]
	for j := range to {
		to[j] = from[j] + 1
	}
}

// active returns the number of points whose star does not cross the border.
func (c *Config) active() float64 { return float64(c.N-2*c.Radius) * float64(c.N-2*c.Radius) }

func (c *Config) spoil(out []float64) { out[len(out)-1] += c.active() }

// norm returns the sum of the absolute values of some rows of the output.
func norm(out []float64) (norm parts.Exact) {
	for _, x := range out {
		norm.Add(math.Abs(x))
	}
	return norm
}

// result returns the result; norm is the sum over all rows.
func (c *Config) result(took fagus.Time, norm *parts.Exact) prk.Result {
	return prk.Result{
		Got: norm.Float64() / c.active(), Want: 2 * float64(c.Total()),
		Time: took, Work: c.active() * float64(c.operations()), Made: c.Made(),
	}.Absolute()
}
