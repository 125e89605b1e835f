package loops

import (
	"math/rand/v2"
	"slices"
	"testing"
)

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
		without := f.without(i)
		if (without != nil) != test.without || without != nil && !without.Equal(Number(5)) {
			t.Errorf("%s: without %v, want %v", what, without, test.without)
		}
		if f.Frames[0].Loop != i || !f.Frames[0].Each {
			t.Errorf("%s: the loop matters no more in %v", what, f.Frames)
		}
		if rows := f.rows(); (rows == i) != test.rows || len(f.Frames) == 0 != test.rows {
			t.Errorf("%s: rows %v and frames %v, want rows: %v", what, rows, f.Frames, test.rows)
		}
	}
}

// elements adds the elements of the frames from a number on.
func (f *Footprint) elements(at map[*Symbol]int64, from int, found map[int64]bool) {
	if from == len(f.Frames) {
		if f.Run == nil {
			found[f.At.value(at)] = true
			return
		}
		for _, at[f.Run.Index] = range iterations(f.Run, at) {
			found[f.At.value(at)] = true
		}
		return
	}
	switch g := f.Frames[from]; {
	case g.Loop == nil:
		for _, p := range g.Cond.AtLeast0 {
			if p.value(at) < 0 {
				return
			}
		}
		if g.Cond.Not0 == nil || g.Cond.Not0.value(at) != 0 {
			f.elements(at, from+1, found)
		}
	case g.Each:
		for _, at[g.Loop.Index] = range iterations(g.Loop, at) {
			f.elements(at, from+1, found)
		}
	case len(iterations(g.Loop, at)) > 0:
		f.elements(at, from+1, found)
	}
}

// TestOutermost compares the elements that a step reads before and after outermost removes
// footprints, for random accesses in each iteration of the step's loop.
func TestOutermost(t *testing.T) {
	removed := 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 12))
		n := &Symbol{Name: "n"}
		a := &Array{Name: "a"}
		i := newLoop("i", Number(0), Of(n))
		top := &Node{Loop: i}
		for range 1 + r.IntN(3) { // loops with accesses, each perhaps under a condition
			j := newLoop("j", []Poly{Number(r.Int64N(2)), Number(0), Of(i.Index).Plus(Number(1))}[r.IntN(3)], []Poly{Of(n), Of(i.Index), Number(3), Of(i.Index).Plus(Number(1))}[r.IntN(4)])
			j.Step = []int64{1, 1, 2, 3}[r.IntN(4)]
			leaf := &Node{}
			for range 1 + r.IntN(3) {
				row := []Poly{Of(i.Index), Of(i.Index), Number(1)}[r.IntN(3)]
				p := row.Times(Of(n)).Plus([]Poly{Of(j.Index), Of(i.Index), Number(r.Int64N(3)), Of(j.Index).Plus(Of(j.Index)), Of(j.Index).Plus(Number(1))}[r.IntN(5)])
				leaf.Own = append(leaf.Own, Action{Access: &Access{Array: a, At: &p}})
			}
			if r.IntN(3) == 0 {
				leaf = &Node{If: true, Cond: &Cond{AtLeast0: []Poly{Of(i.Index).Minus(Number(r.Int64N(3)))}}, Children: []*Node{leaf}}
			}
			top.Children = append(top.Children, nest(leaf, j))
		}
		f := &Function{Body: []*Node{top}}
		f.link()
		s := &Step{Node: top}
		var all []Footprint
		var nodes []*Node
		for _, p := range top.accesses() {
			all, nodes = append(all, s.footprint(p, Reads, false)), append(nodes, p.node)
		}
		rest := s.outermost(all, nodes)
		boxes := slices.Clone(all)
		for k := range boxes {
			boxes[k].Frames, boxes[k].Run = frames(&all[k]), nil
			boxes[k].widen()
		}
		removed += len(all) - len(rest)
		for draw := range int64(25) { // one iteration, which is all that a rank may have
			size, mine := draw/5+1, draw%5
			i.Lo, i.Hi = []Poly{Number(mine)}, []Poly{Number(min(size, mine+1))}
			want, got := make(map[int64]bool), make(map[int64]bool)
			wide := make(map[int64]bool)
			for which, list := range [][]Footprint{all, rest, boxes} {
				for _, f := range list {
					f.elements(map[*Symbol]int64{n: size}, 0, []map[int64]bool{want, got, wide}[which])
				}
			}
			for e := range want {
				if !got[e] || !wide[e] {
					t.Fatalf("seed %d: n %d, i %d: element %d is missing in %d of %d footprints, or in boxes", seed, size, mine, e, len(rest), len(all))
				}
			}
		}
	}
	if t.Logf("%d footprints removed", removed); removed < 500 {
		t.Errorf("only %d footprints are removed", removed)
	}
}
