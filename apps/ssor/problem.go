package ssor

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

const tolerance = 1e-8

// Shares of the operations: of each sweep, and of the residual.
const sweepShare, residualShare = 0.4, 0.2

// problem describes a class: n x n x n points, of which the outermost are fixed, and the reference
// values for the solution after the iterations.
type problem struct {
	n          int
	iterations int
	dt         float64 // the pseudo-time of an iteration
	residual   vector  // RMS norms
	error      vector  // RMS norms
	integral   float64 // of the pressure over a surface
}

func problemOf(c npb.Class) problem {
	switch c {
	case npb.S:
		return problem{12, 50, 0.5,
			vector{1.6196343210976702e-02, 2.1976745164821318e-03, 1.5179927653399185e-03, 1.5029584435994323e-03, 3.4264073155896461e-02},
			vector{6.4223319957960924e-04, 8.4144342047347926e-05, 5.8588269616485186e-05, 5.8474222595157350e-05, 1.3103347914111294e-03},
			7.8418928865937083}
	case npb.W:
		return problem{33, 300, 1.5e-3,
			vector{0.1236511638192e+02, 0.1317228477799e+01, 0.2550120713095e+01, 0.2326187750252e+01, 0.2826799444189e+02},
			vector{0.4867877144216, 0.5064652880982e-01, 0.9281818101960e-01, 0.8570126542733e-01, 0.1084277417792e+01},
			0.1161399311023e+02}
	case npb.B:
		return problem{102, 250, 2,
			vector{3.5532672969982736e+03, 2.6214750795310692e+02, 8.8333721850952190e+02, 7.7812774739425265e+02, 7.3087969592545314e+03},
			vector{1.1401176380212709e+02, 8.1098963655421574e+00, 2.8480597317698308e+01, 2.5905394567832939e+01, 2.6054907504857413e+02},
			4.7887162703308227e+01}
	case npb.C:
		return problem{162, 250, 2,
			vector{1.03766980323537846e+04, 8.92212458801008552e+02, 2.56238814582660871e+03, 2.19194343857831427e+03, 1.78078057261061185e+04},
			vector{2.15986399716949279e+02, 1.55789559239863600e+01, 5.41318863077207766e+01, 4.82262643154045421e+01, 4.55902910043250358e+02},
			6.66404553572181300e+01}
	}
	return problem{64, 250, 2,
		vector{7.7902107606689367e+02, 6.3402765259692870e+01, 1.9499249727292479e+02, 1.7845301160418537e+02, 1.8384760349464247e+03},
		vector{2.9964085685471943e+01, 2.8194576365003349e+00, 7.3473412698774742e+00, 6.7139225687777051e+00, 7.0715315688392578e+01},
		2.6030925604886277e+01}
}

// planes returns the number of planes that are computed: all but the first and the last.
func (p *problem) planes() int { return p.n - 2 }

// each returns the operations of an iteration, as NPB counts them.
func (p *problem) each() float64 {
	n := float64(p.n)
	return 1984.77*n*n*n - 10923.3*n*n + 27770.9*n - 144010
}

// Units returns the number of planes that all iterations of a class compute.
func Units(c npb.Class) int { p := problemOf(c); return p.iterations * p.planes() }

// Memory returns the least number of bytes that all ranks of a class need: for the unknowns, their
// correction, the forcing and the states of all points.
func Memory(c npb.Class, _ int) int { n := problemOf(c).n; return n * n * n * (3*40 + 64) }

// Validate reports an error if there are more ranks than planes to compute.
func Validate(c npb.Class, nodes int) error {
	if p := problemOf(c); nodes > p.planes() {
		return fmt.Errorf("ssor: class %v on %d nodes: its %d inner planes are enough for %[3]d nodes at most", c, nodes, p.planes())
	}
	return nil
}

// report sets the checks of a result from the sums over all planes: of squared residuals, and of
// squared errors and pressures.
func (p *problem) report(r *verify.Result, residual, solution []parts.Exact) {
	check := func(name string, got, want float64) {
		r.Checks = append(r.Checks, verify.Check{Name: name, Got: got, Want: want, Tolerance: tolerance})
	}
	points := float64(p.planes() * p.planes() * p.planes())
	norm := func(sum *parts.Exact) float64 { return math.Sqrt(sum.Float64() / points) }
	for m := range components {
		check(fmt.Sprintf("residual %d", m+1), norm(&residual[m]), p.residual[m])
	}
	for m := range components {
		check(fmt.Sprintf("error %d", m+1), norm(&solution[m]), p.error[m])
	}
	square := 1 / float64((p.n-1)*(p.n-1))
	check("surface integral", solution[components].Float64()*square, p.integral)
}
