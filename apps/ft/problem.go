package ft

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

const (
	seed       = 314159265
	iterations = 6
	samples    = 1024 // points in a checksum
	alpha      = 1e-6
	tolerance  = 1e-12
)

// problem describes a class: its size and its reference checksums.
type problem struct {
	nx, ny, nz int
	sums       [iterations]complex128
}

func problemOf(c npb.Class) *problem {
	switch c {
	case npb.S:
		return &problem{64, 64, 64, [iterations]complex128{
			554.6087004964 + 484.5363331978i, 554.6385409189 + 486.5304269511i, 554.6148406171 + 488.3910722336i,
			554.5423607415 + 490.1273169046i, 554.4255039624 + 491.7475857993i, 554.2683411902 + 493.2597244941i}}
	case npb.W:
		return &problem{128, 128, 32, [iterations]complex128{
			567.3612178944 + 529.3246849175i, 563.1436885271 + 528.2149986629i, 559.4024089970 + 527.0996558037i,
			556.0698047020 + 526.0027904925i, 553.0898991250 + 524.9400845633i, 550.4159734538 + 523.9212247086i}}
	}
	return &problem{256, 256, 128, [iterations]complex128{
		504.6735008193 + 511.4047905510i, 505.9412319734 + 509.8809666433i, 506.9376896287 + 509.8144042213i,
		507.7892868474 + 510.1336130759i, 508.5233095391 + 510.4914655194i, 509.1487099959 + 510.7917842803i}}
}

// Units returns the number of planes that a class transforms.
func Units(c npb.Class) int { return problemOf(c).nz * (1 + iterations) }

func (p *problem) points() int { return p.nx * p.ny * p.nz }

// first returns NPB's operations per point before the iterations, each those per iteration.
func (p *problem) first() float64 { return 14.8157 + 7.19641*math.Log(float64(p.points())) }
func (p *problem) each() float64  { return 5.23518 + 7.21113*math.Log(float64(p.points())) }

func (p *problem) operations() float64 {
	return float64(p.points()) * (p.first() + iterations*p.each())
}

func (p *problem) report(r *verify.Result, exact []parts.Exact) {
	for i, want := range p.sums {
		points := float64(p.points())
		re, im := exact[2*i].Float64()/points, exact[2*i+1].Float64()/points
		r.Lines = append(r.Lines, fmt.Sprintf("iteration %d: checksum %.10f %+.10fi", i+1, re, im))
		r.Checks = append(r.Checks,
			verify.Check{Name: fmt.Sprintf("real part %d", i+1), Got: re, Want: real(want), Tolerance: tolerance},
			verify.Check{Name: fmt.Sprintf("imaginary part %d", i+1), Got: im, Want: imag(want), Tolerance: tolerance})
	}
}

// decay returns the factors by which one iteration multiplies n waves: exp(-4 alpha pi^2 k^2) for
// wave k, with -n/2 <= k < n/2.
func decay(n int) []float64 {
	factors := make([]float64, n)
	for i := range factors {
		k := float64((i+n/2)%n - n/2)
		factors[i] = math.Exp(-4 * alpha * math.Pi * math.Pi * k * k)
	}
	return factors
}
