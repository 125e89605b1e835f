package loops

import "testing"

// TestCovered: a write overwrites an element, so that nobody needs what it had before, only if it
// certainly writes all of it in all iterations that come, and does not depend on it.
func TestCovered(t *testing.T) {
	n := &Symbol{Name: "n"}
	a := &Array{Name: "a"}
	loop := func(name string, step int64) *Loop {
		l := &Loop{Lo: []Poly{Number(0)}, Hi: []Poly{Of(n)}, Step: step}
		l.Index = &Symbol{Name: name, Loop: l}
		return l
	}
	for what, c := range map[string]struct {
		change  func(write *Node, inner *Loop)
		covered bool
	}{
		"a write":                     {func(*Node, *Loop) {}, true},
		"a part of an element":        {func(w *Node, _ *Loop) { w.Own[0].Access.Partly = true }, false},
		"a sum":                       {func(w *Node, _ *Loop) { w.Own[0].Access.Fold = "+" }, false},
		"an unknown element":          {func(w *Node, _ *Loop) { w.Own[0].Access.At = nil }, false},
		"under an unknown condition":  {func(w *Node, _ *Loop) { w.If = true }, false},
		"under a known condition":     {func(w *Node, _ *Loop) { w.If, w.Cond = true, &Cond{AtLeast0: []Poly{Of(n)}} }, true},
		"in a loop that may leave":    {func(w *Node, _ *Loop) { w.parent.Loop.Leaves = true }, false},
		"in a loop with other steps":  {func(w *Node, _ *Loop) { w.parent.Loop.Step = 2 }, false},
		"in a loop that begins later": {func(w *Node, _ *Loop) { w.parent.Loop.Lo = []Poly{Number(1)} }, false},
		"in a loop that ends earlier": {func(w *Node, _ *Loop) { w.parent.Loop.Hi = []Poly{Of(n).Minus(Number(1))} }, false},
		"of another array":            {func(w *Node, _ *Loop) { w.Own[0].Access.Array = &Array{Name: "b"} }, false},
	} {
		first, second := loop("j", 1), loop("k", 1)
		at := func(l *Loop) *Poly { return new(Of(l.Index)) }
		write := &Node{Own: []Action{{Access: &Access{Array: a, Write: true, At: at(first)}}}}
		read := &Node{Own: []Action{{Access: &Access{Array: a, At: at(second)}}}}
		step := &Node{Children: []*Node{{Loop: first, Children: []*Node{write}}, {Loop: second, Children: []*Node{read}}}}
		f := &Function{Body: []*Node{step}}
		f.link()
		c.change(write, first)
		if got := overwritten(step)[read.Own[0].Access]; (got == behind) != c.covered {
			t.Errorf("behind %s: the read counts as %d, want it covered: %t", what, got, c.covered)
		}
	}
}

// TestFramesDiffer: footprints are the same only if the loops and conditions on which they depend
// are, and in the same way.
func TestFramesDiffer(t *testing.T) {
	n := &Symbol{Name: "n"}
	l := &Loop{Lo: []Poly{Number(0)}, Hi: []Poly{Of(n)}, Step: 1}
	l.Index = &Symbol{Name: "i", Loop: l}
	other := *l
	other.Hi = []Poly{Of(n).Plus(Number(1))}
	at, run := Of(l.Index), &Loop{Index: &Symbol{Name: "r"}}
	cond := func(c int64) *Cond { return &Cond{AtLeast0: []Poly{Of(n).Minus(Number(c))}} }
	all := []Footprint{
		{At: &at, Frames: []Frame{{Loop: l, Each: true}}},
		{At: &at, Frames: []Frame{{Loop: l}}},
		{At: &at, Frames: []Frame{{Loop: &other, Each: true}}},
		{At: &at, Frames: []Frame{{Loop: l, Each: true}, {Cond: cond(1)}}},
		{At: &at, Frames: []Frame{{Loop: l, Each: true}, {Cond: cond(2)}}},
		{At: &at, Frames: []Frame{{Loop: l, Each: true}}, Run: run},
		{At: &at, Frames: []Frame{{Loop: l, Each: true}}, Use: Writes},
		{At: &at, Frames: []Frame{{Loop: l, Each: true}}, Array: &Array{}},
		{Frames: []Frame{{Loop: l, Each: true}}},
		{At: new(at.Plus(Number(1))), Frames: []Frame{{Loop: l, Each: true}}},
		{At: &at},
	}
	for i := range all {
		for k := range all {
			if got := all[i].same(&all[k]); got != (i == k) {
				t.Errorf("footprints %d and %d are the same: %t", i, k, got)
			}
		}
	}
	again := Footprint{At: new(at), Frames: []Frame{{Loop: l, Each: true}, {Cond: cond(1)}}}
	if !all[3].same(&again) {
		t.Error("equal footprints differ")
	}
}
