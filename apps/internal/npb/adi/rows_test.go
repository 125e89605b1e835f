package adi

import (
	"math"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// drawn returns count numbers from 1 to 2, which depend only on the seed.
func drawn(count int, seed *uint64) []float64 {
	x := make([]float64, count)
	for i := range x {
		*seed++
		x[i] = 1 + float64(verify.Mix(*seed)>>11)/(1<<53)
	}
	return x
}

// TestSameBits checks that the kernels of this processor compute the same bits as the kernels in
// Go, in rows whose number of points is a multiple of 4 and in others.
func TestSameBits(t *testing.T) {
	seed := uint64(0)
	for _, n := range []int{12, 24, 36, 102} {
		p := Problem{N: n, DT: 0.1}
		f := p.Factors(2)
		c := f.coefficients()
		u := func() []float64 { return drawn(rowLength(n, components), &seed) }
		v := func() []float64 { return drawn(rowLength(n, derived), &seed) }
		at := &neighbours{[3][]float64{u(), u(), u()}, [3][]float64{v(), v(), v()}}
		rows, w := &[5][]float64{u(), u(), u(), u(), u()}, p.Weights(5)
		inner := func(row []float64) (x []float64) { // a kernel may change what is beside it
			for m := range components {
				x = append(x, row[m*n:][:n-2]...)
			}
			return x
		}
		check := func(what string, count int, kernel, inGo func(to []float64) []float64) {
			begin := drawn(count, &seed)
			got, want := kernel(slices.Clone(begin)), inGo(slices.Clone(begin))
			for i := range want {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
					t.Fatalf("%s, %d points: number %d is %g, want %g", what, n, i, got[i], want[i])
				}
			}
			if slices.Equal(want, begin) {
				t.Errorf("%s, %d points: nothing changes", what, n)
			}
		}
		for normal := 1; normal <= 3; normal++ {
			check("flux", len(rows[0]),
				func(to []float64) []float64 { flux(to, at, n, normal, &c); return inner(to) },
				func(to []float64) []float64 { goFlux(to, at, n, normal, &c); return inner(to) })
		}
		check("dissipate", len(rows[0]),
			func(to []float64) []float64 { dissipate(to, to, rows, &w); return to },
			func(to []float64) []float64 { goDissipate(to, to, rows, &w); return to })
		check("derive", len(at.v[0]),
			func(to []float64) []float64 { derive(to, rows[0], n); return to },
			func(to []float64) []float64 { goDerive(to, rows[0], n); return to })
	}
}

// TestAlong checks that four lines are gathered and stored back, and their transposition.
func TestAlong(t *testing.T) {
	seed := uint64(0)
	for _, n := range []int{10, 22, 100} {
		rows := [4][]float64{drawn(n, &seed), drawn(n, &seed), drawn(n, &seed), drawn(n, &seed)}
		got, want := make([][components]Quad, n), make([][components]Quad, n)
		along(got, 2, &rows)
		goAlong(want, 2, &rows)
		if !slices.Equal(got, want) {
			t.Errorf("%d points: gathered %v, want %v", n, got, want)
		}
		back := [4][]float64{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
		backAlong(&back, got, 2)
		for k := range rows {
			if !slices.Equal(back[k], rows[k]) {
				t.Errorf("%d points: stored %v, want %v", n, back[k], rows[k])
			}
		}
	}
}

// TestAcross checks that points of rows are gathered, stored and added to.
func TestAcross(t *testing.T) {
	const n, stride = 10, 70
	seed := uint64(0)
	places := [components]int{3, 27, 14, 40, 66}
	rows := func() crossing { return crossing{drawn(n*stride, &seed), stride} }
	from := rows()
	got, want := make([][components]Quad, n), make([][components]Quad, n)
	across(got, from, &places)
	goAcross(want, from, &places)
	if !slices.Equal(got, want) || got[n-1][4] != Quad(from.numbers[n*stride-4:]) {
		t.Errorf("gathered %v, want %v", got, want)
	}
	for what, f := range map[string][2]func(crossing, *[components]int, [][components]Quad){
		"store": {storeAcross, goStoreAcross}, "add": {addAcross, goAddAcross},
	} {
		a := rows()
		b, begin := crossing{slices.Clone(a.numbers), stride}, slices.Clone(a.numbers)
		f[0](a, &places, got)
		f[1](b, &places, got)
		if !slices.Equal(a.numbers, b.numbers) || slices.Equal(a.numbers, begin) {
			t.Errorf("%s differs from the kernel in Go, or changes nothing", what)
		}
	}
}
