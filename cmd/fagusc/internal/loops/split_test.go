package loops

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// nest returns loops, the first outermost, around one statement.
func nest(leaf *Node, loops ...*Loop) *Node {
	for _, l := range slices.Backward(loops) {
		leaf = &Node{Loop: l, Children: []*Node{leaf}}
	}
	return leaf
}

func newLoop(name string, lo, hi Poly) *Loop {
	l := &Loop{Lo: []Poly{lo}, Hi: []Poly{hi}, Step: 1}
	l.Index = &Symbol{Name: name, Ident: name, Loop: l}
	return l
}

// statement writes a[w] and reads a[r] for all r.
func statement(a *Array, w Poly, reads ...Poly) *Node {
	n := &Node{}
	for _, r := range reads {
		n.Own = append(n.Own, Action{Access: &Access{Array: a, At: &r}})
	}
	n.Own = append(n.Own, Action{Access: &Access{Array: a, At: &w, Write: true}})
	return n
}

// TestDivideAtPoint: a loop is divided at the iteration with which others conflict, and only there.
func TestDivideAtPoint(t *testing.T) {
	n, e, f := Of(&Symbol{Name: "n"}), Of(&Symbol{Name: "e"}), Of(&Symbol{Name: "f"})
	row := func(i, j Poly) Poly { return i.Times(n).Plus(j) }
	for _, c := range []struct {
		what  string
		reads func(k, i, j Poly) []Poly
		set   func(l *Loop)
		want  string // the bounds of the parts
	}{
		{"row k", func(k, i, j Poly) []Poly { return []Poly{row(i, k), row(k, j)} }, nil, "[0 k) [k k + 1) [k + 1 n)"},
		{"a parameter", func(k, i, j Poly) []Poly { return []Poly{row(e, j)} }, nil, "[0 n,e) [0,e n,e + 1) [0,e + 1 n)"},
		{"the first row", func(k, i, j Poly) []Poly { return []Poly{row(Number(0), j)} }, nil, "[0 n,1) [1 n)"},
		{"the last row", func(k, i, j Poly) []Poly { return []Poly{row(n.Minus(Number(1)), j)} }, nil, "[0 n - 1) [0,n - 1 n)"},
		{"down", func(k, i, j Poly) []Poly { return []Poly{row(k, j)} }, func(l *Loop) { l.Down = true }, "[k + 1 n) [k k + 1) [0 k)"},
		{"two rows", func(k, i, j Poly) []Poly { return []Poly{row(e, j), row(f, j)} }, nil, ""},
		{"the row before", func(k, i, j Poly) []Poly { return []Poly{row(i.Minus(Number(1)), j)} }, nil, ""},
		{"every second row", func(k, i, j Poly) []Poly { return []Poly{row(k, j)} }, func(l *Loop) { l.Step = 2 }, ""},
		{"all at once", func(k, i, j Poly) []Poly { return []Poly{row(k, j)} }, func(l *Loop) { l.AtOnce = true }, ""},
		{"row k and the row before", func(k, i, j Poly) []Poly { return []Poly{row(k, j), row(i.Minus(Number(1)), j)} }, nil, ""},
	} {
		k, i, j := newLoop("k", Number(0), n), newLoop("i", Number(0), n), newLoop("j", Number(0), n)
		if c.set != nil {
			c.set(i)
		}
		at := []Poly{Of(k.Index), Of(i.Index), Of(j.Index)}
		f := &Function{Body: []*Node{nest(statement(&Array{Name: "a"}, row(at[1], at[2]), c.reads(at[0], at[1], at[2])...), k, i, j)}}
		f.link()
		loop := f.Body[0].Children[0]
		got, before := "", len(f.Body[0].Children)
		for _, v := range f.split(f.judge(loop, 9), 9) {
			got += fmt.Sprintf("[%s %s) ", bounds(v.Node.Loop.Lo), bounds(v.Node.Loop.Hi))
		}
		if want := c.want; got != want && got != want+" " {
			t.Errorf("%s: parts %s, want %s", c.what, got, want)
		}
		if got == "" && (len(f.Body[0].Children) != before || f.Body[0].Children[0] != loop) {
			t.Errorf("%s: the loop is not divided, but no longer in its place", c.what)
		}
	}
}

func bounds(all []Poly) (text string) {
	for i, p := range all {
		if i > 0 {
			text += ","
		}
		text += p.String()
	}
	return text
}

// TestParts: the parts have the iterations of the whole, each once, in their order, wherever the
// point is.
func TestParts(t *testing.T) {
	lo, hi, e := &Symbol{Name: "lo"}, &Symbol{Name: "hi"}, &Symbol{Name: "e"}
	for _, down := range []bool{false, true} {
		l := newLoop("i", Of(lo), Of(hi))
		l.Down = down
		n := &Node{Loop: l}
		f := &Function{Body: []*Node{n}}
		f.link()
		parts := n.divided(Of(e))
		for seed := range uint64(200) {
			r := rand.New(rand.NewPCG(seed, 11))
			at := map[*Symbol]int64{lo: r.Int64N(9) - 4, hi: r.Int64N(9) - 4, e: r.Int64N(13) - 6}
			var got []int64
			for _, p := range parts {
				got = append(got, iterations(p.Loop, at)...)
			}
			if want := iterations(l, at); !slices.Equal(got, want) {
				t.Fatalf("seed %d, down %v: the parts of [%d, %d) at %d have the iterations %v, want %v", seed, down, at[lo], at[hi], at[e], got, want)
			}
		}
	}
}

// iterations returns the values of an index in their order.
func iterations(l *Loop, at map[*Symbol]int64) (all []int64) {
	lo, hi := l.Lo[0].value(at), l.Hi[0].value(at)
	for _, p := range l.Lo {
		lo = max(lo, p.value(at))
	}
	for _, p := range l.Hi {
		hi = min(hi, p.value(at))
	}
	for i := lo; i < hi; i += l.Step {
		all = append(all, i)
	}
	if l.Down {
		slices.Reverse(all)
	}
	return all
}
