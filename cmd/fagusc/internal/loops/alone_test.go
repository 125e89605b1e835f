package loops

import (
	"slices"
	"strings"
	"testing"
)

// kinds describes the steps of a schedule in their order.
func (s *Schedule) kinds(f *Function) (all []string) {
	for _, top := range f.Body {
		for n := range top.All() {
			if step := s.Steps[n]; step != nil {
				kind := []string{"parallel", "one", "every"}[step.Kind]
				if n.Loop != nil {
					kind += " " + n.Loop.Index.Name
				}
				if len(step.Elements()) > 0 {
					kind += " reduces"
				}
				all = append(all, kind)
			}
		}
	}
	return all
}

// TestAlone: one rank executes a loop that neither is parallel nor has a parallel loop inside, if
// the function has another one. Elements are reduced in loops of loops only if nothing else is
// parallel.
func TestAlone(t *testing.T) {
	n := Of(&Symbol{Name: "n"})
	one, zero := Number(1), Number(0)
	a, b := &Array{Name: "a"}, &Array{Name: "b"}
	fill := func() *Node { // b[i] = ..., parallel
		l := newLoop("p", zero, n)
		return nest(statement(b, Of(l.Index)), l)
	}
	prefix := func(name string, outer ...*Loop) *Node { // a[i] depends on a[i-1]
		l := newLoop(name, one, n)
		l.Wide = true // no loop over diagonals
		return nest(statement(a, Of(l.Index), Of(l.Index).Minus(one)), append(outer, l)...)
	}
	reduction := func(depth int) *Node { // a[e] += ... in loops
		var all []*Loop
		row := zero
		for d := range depth {
			all = append(all, newLoop([]string{"i", "j"}[d], zero, n))
			row = row.Times(n).Plus(Of(all[d].Index))
		}
		k := newLoop("k", zero, n)
		fold := &Node{}
		for _, write := range []bool{false, true} {
			fold.Own = append(fold.Own, Action{Access: &Access{Array: a, At: &row, Fold: "+", Fixed: true, Write: write}})
		}
		loop := nest(fold, k)
		for _, l := range slices.Backward(all) { // a[0] makes the loops around depend on each other
			loop = &Node{Loop: l, Children: []*Node{loop, statement(b, zero)}}
		}
		return loop
	}
	x := &Scalar{Name: "x"}
	carries := func(n *Node) *Node { // x of the iteration before
		leaf := n.Children[0]
		leaf.Own = append(leaf.Own, Action{Use: &Use{Scalar: x}}, Action{Use: &Use{Scalar: x, Write: true}})
		return n
	}
	around := func(nodes ...*Node) *Node { // a loop over t
		return &Node{Loop: newLoop("t", zero, n), Children: nodes}
	}
	for _, c := range []struct {
		what string
		body []*Node
		want string // the steps, or the begin of the refusal
	}{
		{"beside a parallel loop", []*Node{fill(), prefix("i")}, "parallel p, one i"},
		{"alone", []*Node{prefix("i")}, "the loop over i cannot be parallel"},
		{"in a loop with a parallel loop", []*Node{around(fill(), prefix("i"))}, "parallel p, one i"},
		{"a whole nest", []*Node{fill(), prefix("i", newLoop("t", zero, n))}, "parallel p, one t"},
		{"two in a nest", []*Node{fill(), around(prefix("i"), prefix("j"))}, "parallel p, one t"},
		{"a variable of others", []*Node{fill(), carries(prefix("i"))}, "the loop over i cannot be parallel"},
		{"a reduction", []*Node{reduction(1)}, "parallel k reduces, one"},
		{"a deep reduction", []*Node{reduction(2)}, "parallel k reduces, one, one"},
		{"a deep reduction beside a parallel loop", []*Node{fill(), reduction(2)}, "parallel p, one i"},
		{"a reduction beside a parallel loop", []*Node{fill(), reduction(1)}, "parallel p, parallel k reduces, one"},
		{"deep and not", []*Node{reduction(2), reduction(1)}, "one i, parallel k reduces, one"},
	} {
		f := &Function{Name: "f", Body: c.body, Unique: func(name string) string { return name }}
		s, err := f.Schedule()
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), ": ")
		} else {
			got = strings.Join(s.kinds(f), ", ")
		}
		if got != c.want && (err == nil || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}
