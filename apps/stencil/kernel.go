package stencil

import (
	"math"

	"github.com/fagus-dsm/fagus/apps/prk"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// begin makes row i of the input x+y.
func begin(row []float64, i int) {
	for j := range row {
		row[j] = float64(i + j)
	}
}

// star adds to a row of the output what the star sees of row i of the input. The weight of a point k away
// is 1/(2kr), negative above and to the left.
func star(out []float64, input func(i int) []float64, i, radius int) {
	active := len(out) - 2*radius
	out = out[radius:][:active]
	row := input(i)
	for k := 1; k <= radius; k++ {
		weight := 1 / float64(2*k*radius)
		up, down := input(i - k)[radius:][:active], input(i + k)[radius:][:active]
		left, right := row[radius-k:][:active], row[radius+k:][:active]
		for j := range out {
			out[j] += weight * (down[j] - up[j] + right[j] - left[j])
		}
	}
}

// grow makes a row of the next input, which may lie where that of this one does.
func grow(to, from []float64) {
	from = from[:len(to)]
	for j := range to {
		to[j] = from[j] + 1
	}
}

// active is how many points have a star.
func (c *Config) active() float64 {
	return float64(c.N-2*c.Radius) * float64(c.N-2*c.Radius)
}

// norm adds up the absolute values of rows of the output, one of which is spoilt before if need be.
func (c *Config) norm(out []float64, spoil bool) (norm parts.Exact) {
	if spoil {
		out[len(out)-1] += c.active()
	}
	for _, x := range out {
		norm.Add(math.Abs(x))
	}
	return norm
}

// result follows from the norm of all rows.
func (c *Config) result(took fagus.Time, norm *parts.Exact) prk.Result {
	r := prk.Result{
		Got: norm.Float64() / c.active(), Want: 2 * float64(c.Total()),
		Time: took, Work: c.active() * float64(c.operations()) * float64(c.Iterations),
	}
	r.Error = math.Abs(r.Got - r.Want)
	return r
}
