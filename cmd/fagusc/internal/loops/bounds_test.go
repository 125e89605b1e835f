package loops

import (
	"fmt"
	"testing"
)

// TestCompare compares conditions, and their negations, with comparisons of numbers.
func TestCompare(t *testing.T) {
	i, j := &Symbol{Name: "i"}, &Symbol{Name: "j"}
	for r, holds := range map[Relation]func(a, b int64) bool{
		Less: func(a, b int64) bool { return a < b }, AtMost: func(a, b int64) bool { return a <= b },
		Equal: func(a, b int64) bool { return a == b }, NotEqual: func(a, b int64) bool { return a != b },
	} {
		for _, not := range []bool{false, true} {
			c := Compare(Of(i), r, Of(j), not)
			for a := range int64(3) {
				for b := range int64(3) {
					at := map[*Symbol]int64{i: a, j: b}
					got := c.Not0 == nil || c.Not0.value(at) != 0
					for _, p := range c.AtLeast0 {
						got = got && p.value(at) >= 0
					}
					if got != (holds(a, b) != not) {
						t.Errorf("relation %d of %d and %d, negated %t: %t", r, a, b, not, got)
					}
				}
			}
		}
	}
}

// TestCount compares the iterations that Count returns with the iterations of Go loops.
func TestCount(t *testing.T) {
	for _, step := range []int64{1, -1, 2, -2, 3, -3} {
		for r, goes := range map[Relation]func(i, to int64) bool{
			Less:     func(i, to int64) bool { return step > 0 && i < to || step < 0 && to < i },
			AtMost:   func(i, to int64) bool { return step > 0 && i <= to || step < 0 && to <= i },
			NotEqual: func(i, to int64) bool { return i != to },
		} {
			for first := range int64(8) {
				for to := range int64(8) {
					if r == NotEqual && (step*step != 1 || step*(to-first) < 0) {
						continue // the loop has no end
					}
					var want []int64
					for i := first; goes(i, to); i += step {
						want = append(want, i)
					}
					index := &Symbol{Name: "i"}
					x, y := Of(index), Number(to)
					if step < 0 {
						x, y = y, x
					}
					l, f := &Loop{Index: index}, &Function{}
					bound, ok := Bound(x, r, y, index, step)
					if why := f.Count(l, []Poly{Number(first)}, []Poly{bound}, step); !ok || why != "" {
						t.Fatalf("a loop from %d to %d in steps of %d: %t, %q", first, to, step, ok, why)
					}
					if got := iterations(l, nil); fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("a loop from %d to %d, relation %d, in steps of %d: %v, want %v", first, to, r, step, got, want)
					}
				}
			}
		}
	}
}
