package mg

import (
	"math"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// drawn returns count numbers of different magnitudes, which depend only on the seed.
func drawn(count int, seed *uint64) []float64 {
	x := make([]float64, count)
	for i := range x {
		*seed++
		bits := verify.Mix(*seed)
		x[i] = math.Ldexp(float64(int64(bits)>>11), -53+int(bits%7))
	}
	return x
}

// TestSameBits checks that the kernels of this processor compute the same bits as the kernels in
// Go, for rows that are too short for vectors, and for longer ones. It also checks that they write
// nothing outside of their rows.
func TestSameBits(t *testing.T) {
	seed := uint64(0)
	s := problemOf(npb.B).smoother
	for n := 2; n <= 64; n *= 2 {
		row := func() []float64 { return drawn(n, &seed) }
		a, b, c, d, e, f := row(), row(), row(), row(), row(), row()
		near, far, centre := drawn(2*n+2, &seed), drawn(2*n+2, &seed), drawn(2*n+2, &seed)
		short := func(x []float64) []float64 { return x[:n+2] }
		for _, k := range []struct {
			name       string
			here, inGo func(to, more, most []float64) // write to[1:][:n], and perhaps more and most
		}{
			{"add", func(to, _, _ []float64) { add(to[1:][:n], a, b) }, func(to, _, _ []float64) { goAdd(to[1:][:n], a, b) }},
			{"around", func(to, near, far []float64) { around(near, far, to[1:][:n], a, b, c, d, e, f) },
				func(to, near, far []float64) { goAround(near, far, to[1:][:n], a, b, c, d, e, f) }},
			{"residual", func(to, _, _ []float64) { residual(to[1:][:n], a, b, short(near), short(far)) },
				func(to, _, _ []float64) { goResidual(to[1:][:n], a, b, short(near), short(far)) }},
			{"smooth", func(to, _, _ []float64) { s.smooth(to[1:][:n], short(centre), short(near), short(far)) },
				func(to, _, _ []float64) { s.goSmooth(to[1:][:n], short(centre), short(near), short(far)) }},
			{"restrict", func(to, _, _ []float64) { restrict(to[1:][:n], centre, near, far) },
				func(to, _, _ []float64) { goRestrict(to[1:][:n], centre, near, far) }},
			{"sum", func(to, _, _ []float64) { sum(to, a, b, c, d) }, func(to, _, _ []float64) { goSum(to, a, b, c, d) }},
			{"prolong", func(_, _, far []float64) { prolong(far[1:][:2*n], short(near)) },
				func(_, _, far []float64) { goProlong(far[1:][:2*n], short(near)) }},
		} {
			begin := [3][]float64{drawn(n+2, &seed), drawn(n+2, &seed), drawn(2*n+2, &seed)}
			run := func(f func(to, more, most []float64)) []float64 {
				to, more, most := slices.Clone(begin[0]), slices.Clone(begin[1]), slices.Clone(begin[2])
				f(to, more, most)
				return slices.Concat(to, more, most)
			}
			got, want := run(k.here), run(k.inGo)
			for i := range want {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
					t.Errorf("%s of %d numbers: number %d is %g, want %g", k.name, n, i, got[i], want[i])
				}
			}
			if slices.Equal(got, slices.Concat(begin[0], begin[1], begin[2])) {
				t.Errorf("%s of %d numbers: nothing changes", k.name, n)
			}
		}
	}
}
