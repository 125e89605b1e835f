package loops

import "testing"

// TestElement: a loop reduces an element if no other access of the loop may meet the element.
func TestElement(t *testing.T) {
	n, e := Of(&Symbol{Name: "n"}), Of(&Symbol{Name: "e"})
	for _, c := range []struct {
		what   string
		target func(i, j Poly) Poly
		other  func(i, j Poly) Poly // another element that is read; nil: none
		change func(fold, inner *Node)
		want   bool
	}{
		{"elements before", func(i, j Poly) Poly { return i }, func(i, j Poly) Poly { return j }, nil, true},
		{"the diagonal", func(i, j Poly) Poly { return i.Times(n).Plus(i) }, func(i, j Poly) Poly { return i.Times(n).Plus(j) }, nil, true},
		{"no other", func(i, j Poly) Poly { return e }, nil, nil, true},
		{"the element", func(i, j Poly) Poly { return i }, func(i, j Poly) Poly { return i }, nil, false},
		{"perhaps the element", func(i, j Poly) Poly { return e }, func(i, j Poly) Poly { return j }, nil, false},
		{"the last of the elements", func(i, j Poly) Poly { return i }, func(i, j Poly) Poly { return j.Plus(Number(1)) }, nil, false},
		{"another operator", func(i, j Poly) Poly { return i }, nil, func(fold, inner *Node) { fold.Own[1].Access.Fold = "*" }, false},
		{"no operator", func(i, j Poly) Poly { return i }, nil, func(fold, inner *Node) { fold.Own[0].Access.Fold, fold.Own[1].Access.Fold = "", "" }, false},
		{"under a condition", func(i, j Poly) Poly { return i }, nil, func(fold, inner *Node) {
			inner.Children = []*Node{{If: true, Cond: &Cond{AtLeast0: []Poly{e}}, Children: []*Node{fold}}}
		}, false},
		{"a variable of the loop", func(i, j Poly) Poly { return i }, nil, func(fold, inner *Node) { fold.Own[1].Access.Fixed = false }, false},
		{"counting down", func(i, j Poly) Poly { return i }, nil, func(fold, inner *Node) { inner.Loop.Down = true }, false},
	} {
		i := newLoop("i", Number(0), n)
		j := newLoop("j", Number(0), Of(i.Index))
		a := &Array{Name: "a", Unfoldable: "not as a whole"}
		at := c.target(Of(i.Index), Of(j.Index))
		fold := &Node{}
		for _, write := range []bool{false, true} {
			fold.Own = append(fold.Own, Action{Access: &Access{Array: a, At: &at, Fold: "+", Fixed: true, Write: write}})
		}
		if c.other != nil {
			fold.Own = append(fold.Own, statement(a, at, c.other(Of(i.Index), Of(j.Index))).Own[0])
		}
		outer := nest(fold, i, j)
		inner := outer.Children[0]
		if c.change != nil {
			c.change(fold, inner)
		}
		f := &Function{Body: []*Node{outer}}
		f.link()
		for deepest := range 3 {
			v := f.judge(inner, deepest)
			got := len(v.Reasons) == 0 && len(v.Folds) == 1 && v.Folds[0].Element != nil && v.Folds[0].Element.At.Equal(at)
			if want := c.want && deepest > 0; got != want || c.want && v.deep != (deepest == 0) {
				t.Errorf("%s, at most %d loops around: reduced %v, want %v (%v)", c.what, deepest, got, want, v.Reasons)
			}
		}
	}
}
