package ft

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

const (
	seed      = 314159265
	samples   = 1024 // points in a checksum
	alpha     = 1e-6
	tolerance = 1e-12
)

// problem describes a class: its size and its reference checksums.
type problem struct {
	nx, ny, nz int
	sums       []complex128 // by iteration
}

func problemOf(c npb.Class) *problem {
	switch c {
	case npb.S:
		return &problem{64, 64, 64, []complex128{
			554.6087004964 + 484.5363331978i, 554.6385409189 + 486.5304269511i, 554.6148406171 + 488.3910722336i,
			554.5423607415 + 490.1273169046i, 554.4255039624 + 491.7475857993i, 554.2683411902 + 493.2597244941i}}
	case npb.W:
		return &problem{128, 128, 32, []complex128{
			567.3612178944 + 529.3246849175i, 563.1436885271 + 528.2149986629i, 559.4024089970 + 527.0996558037i,
			556.0698047020 + 526.0027904925i, 553.0898991250 + 524.9400845633i, 550.4159734538 + 523.9212247086i}}
	case npb.B:
		return &problem{512, 256, 256, []complex128{
			517.7643571579 + 507.7803458597i, 515.4521291263 + 508.8249431599i, 514.6409228649 + 509.6208912659i, 514.2378756213 + 510.1023387619i,
			513.9626667737 + 510.3976610617i, 513.7423460082 + 510.5948019802i, 513.5547056878 + 510.7404165783i, 513.3910925466 + 510.8576573661i,
			513.2470705390 + 510.9577278523i, 513.1197729984 + 511.0460304483i, 513.0070319283 + 511.1252433800i, 512.9070537032 + 511.1968077718i,
			512.8182883502 + 511.2616233064i, 512.7393733383 + 511.3203605551i, 512.6691062020 + 511.3735928093i, 512.6064276004 + 511.4218460548i,
			512.5504076570 + 511.4656139760i, 512.5002331720 + 511.5053595966i, 512.4551951846 + 511.5415130407i, 512.4146770029 + 511.5744692211i}}
	case npb.C:
		return &problem{512, 512, 512, []complex128{
			519.5078707457 + 514.9019699238i, 515.5422171134 + 512.7578201997i, 514.4678022222 + 512.2251847514i, 514.0150594328 + 512.1090289018i,
			513.7550426810 + 512.1143685824i, 513.5811056728 + 512.1496764568i, 513.4569343165 + 512.1870921893i, 513.3651975661 + 512.2193250322i,
			513.2955192805 + 512.2454735794i, 513.2410471738 + 512.2663649603i, 513.1971141679 + 512.2830879827i, 513.1605205716 + 512.2965869718i,
			513.1290734194 + 512.3075927445i, 513.1012720314 + 512.3166486553i, 513.0760908195 + 512.3241541685i, 513.0528295923 + 512.3304037599i,
			513.0310107773 + 512.3356167976i, 513.0103090133 + 512.3399592211i, 512.9905029333 + 512.3435588985i, 512.9714421109 + 512.3465164008i}}
	}
	return &problem{256, 256, 128, []complex128{
		504.6735008193 + 511.4047905510i, 505.9412319734 + 509.8809666433i, 506.9376896287 + 509.8144042213i,
		507.7892868474 + 510.1336130759i, 508.5233095391 + 510.4914655194i, 509.1487099959 + 510.7917842803i}}
}

// Units returns the number of planes that a class transforms.
func Units(c npb.Class) int { p := problemOf(c); return p.nz * (1 + p.iterations()) }

// Memory returns the least number of bytes that all ranks of a class need: for the cube and its
// spectrum.
func Memory(c npb.Class, _ int) int { return 2 * 16 * problemOf(c).points() }

func (p *problem) iterations() int { return len(p.sums) }
func (p *problem) points() int     { return p.nx * p.ny * p.nz }

// first returns NPB's operations per point before the iterations, and each those per iteration.
func (p *problem) first() float64 { return 14.8157 + 7.19641*math.Log(float64(p.points())) }
func (p *problem) each() float64  { return 5.23518 + 7.21113*math.Log(float64(p.points())) }

// operations returns NPB's operations from iteration begun on. If begun is 0, it adds first.
func (p *problem) operations(begun int) float64 {
	all := float64(p.iterations()-begun) * p.each()
	if begun == 0 {
		all += p.first()
	}
	return float64(p.points()) * all
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
