package loops

import "testing"

// TestRows: a loop whose iterations touch rows at a constant distance leaves the frames; one that
// decides on the length of the rows, or on which of them there are, stays.
func TestRows(t *testing.T) {
	n := &Symbol{Name: "n"}
	loop := func(name string, lo Poly) *Loop {
		l := &Loop{Lo: []Poly{lo}, Hi: []Poly{Of(n)}, Step: 1}
		l.Index = &Symbol{Name: name, Loop: l}
		return l
	}
	i := loop("i", Number(0))
	at := Of(i.Index).Times(Of(n))
	triangle := loop("j", Of(i.Index)) // begins at i
	not5 := &Cond{Not0: new(Of(i.Index).Minus(Number(5)))}
	for what, test := range map[string]struct {
		footprint     Footprint
		rows, without bool
	}{
		"whole rows":            {Footprint{At: &at, Frames: []Frame{{Loop: i, Each: true}}, Run: loop("j", Number(0)), Stride: 1}, true, false},
		"a triangle":            {Footprint{At: &at, Frames: []Frame{{Loop: i, Each: true}}, Run: triangle, Stride: 1}, false, false},
		"rows without one":      {Footprint{At: &at, Frames: []Frame{{Loop: i, Each: true}, {Cond: not5}}}, true, true},
		"a triangle without":    {Footprint{At: &at, Frames: []Frame{{Loop: i, Each: true}, {Cond: not5}}, Run: triangle, Stride: 1}, false, true},
		"a square of the index": {Footprint{At: new(at.Times(Of(i.Index))), Frames: []Frame{{Loop: i, Each: true}}}, false, false},
	} {
		f := test.footprint
		without := f.Without(i)
		if (without != nil) != test.without || without != nil && !without.Equal(Number(5)) {
			t.Errorf("%s: without %v, want %v", what, without, test.without)
		}
		if f.Frames[0].Loop != i || !f.Frames[0].Each {
			t.Errorf("%s: the loop matters no more in %v", what, f.Frames)
		}
		if rows := f.Rows(); (rows == i) != test.rows || len(f.Frames) == 0 != test.rows {
			t.Errorf("%s: rows %v and frames %v, want rows: %v", what, rows, f.Frames, test.rows)
		}
	}
}
