package loops

import (
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/depend"
)

// Wave describes a loop over diagonals. It takes the place of a loop whose only child is a loop,
// where neither can be parallel: iteration w of it contains the iterations (i, j) of both with
// By*i + j == w, as a loop over i that can be parallel. A By of 0 exchanges the loops.
//
// Loops that count down have the opposite signs: i is -i, and j is -j.
type Wave struct {
	Outer, Inner *Symbol // i of the new loop inside, and j of the source
	J            Poly    // j, from i and w
	Nest         *Node   // the loop of the source
	By           int64
}

// mostSkew bounds By.
const mostSkew = 3

// wave replaces a nest, a loop that is not parallel, by the loop over its diagonals, and returns
// that loop; nil if the iterations of a diagonal would not be independent either, or if the
// diagonals would not execute the others in an order that is allowed.
func (f *Function) wave(nest *Node, deepest int) *Node {
	if len(nest.Children) != 1 || !plain(nest) || !plain(nest.Children[0]) {
		return nil
	}
	inner := nest.Children[0]
	for _, n := range []*Node{nest, inner} {
		v := &Verdict{Node: n}
		if f.scalars(v); len(v.Reasons) > 0 || len(v.Folds) > 0 {
			return nil
		}
	}
	for n := range inner.All() { // a loop inside that ranks can divide without a meeting is as good
		if n.Loop != nil && (n == inner || !n.Loop.Serial) {
			v := f.judge(n, deepest)
			if len(v.Reasons) == 0 && (n == inner || len(v.Folds) == 0) || len(v.Reasons) > 0 && f.split(v, deepest) != nil {
				return nil
			}
		}
	}
	var all []place
	for n := range inner.All() {
		if n.Opaque != "" || n.divides(nest.Loop.Index) || n.divides(inner.Loop.Index) {
			return nil
		}
		for _, a := range n.Own {
			if a.Access != nil && a.Access.At == nil {
				return nil
			}
			if a.Access != nil {
				all = append(all, place{a.Access, n})
			}
		}
	}
	for by := range int64(mostSkew + 1) {
		if legal(nest, inner, by, all) {
			return f.replace(nest, f.diagonals(nest, inner, by))
		}
	}
	return nil
}

// replace puts m, if it is not nil, in the place of n, and returns m.
func (f *Function) replace(n, m *Node) *Node {
	if m == nil {
		return nil
	}
	siblings := f.Body
	if n.parent != nil {
		siblings = n.parent.Children
	}
	siblings[slices.Index(siblings, n)] = m
	f.link()
	return m
}

// plain reports whether a node is a loop over an int in steps of 1 with one bound at each end,
// whose header does nothing else.
func plain(n *Node) bool {
	l := n.Loop
	return l != nil && l.Index != nil && l.Step == 1 && len(l.Lo) == 1 && len(l.Hi) == 1 && len(n.Own) == 0 &&
		!l.Leaves && !l.Exchanges && !l.Serial && l.Part == nil && !l.Wide && !l.Independent && n.Opaque == ""
}

// divides reports whether a node contains a quotient or remainder of the index.
func (n *Node) divides(s *Symbol) bool {
	for _, p := range n.mentions() {
		for f := range p.Symbols() {
			if f.Division != nil && f.Division.Of.Mentions(s) {
				return true
			}
		}
	}
	return false
}

// legal reports whether iterations of a nest that access the same element, one of them to write,
// are on different diagonals, in the order in which the source executes them.
func legal(nest, inner *Node, by int64, all []place) bool {
	for k, a := range all {
		for _, b := range all[k:] {
			if !a.Write && !b.Write {
				continue
			}
			if meets(nest, a, b, func(early, late *instance) {
				var w depend.Linear // of early minus late
				for sign, x := range map[int64]*instance{1: early, -1: late} {
					i, _ := x.variable(nest.Loop.Index)
					j, _ := x.variable(inner.Loop.Index)
					w = append(w, depend.Term{Coefficient: sign * by * direction(nest.Loop), Var: i}, depend.Term{Coefficient: sign * direction(inner.Loop), Var: j})
				}
				early.AtLeast(w, 0)
			}) {
				return false
			}
		}
	}
	return true
}

func direction(l *Loop) int64 {
	if l.Down {
		return -1
	}
	return 1
}

// diagonals returns the loop over the diagonals of a nest, or nil.
func (f *Function) diagonals(nest, inner *Node, by int64) *Node {
	lo, from, okLo := inner.Loop.Lo[0].Coefficient(nest.Loop.Index)
	hi, to, okHi := inner.Loop.Hi[0].Coefficient(nest.Loop.Index)
	if !okLo || !okHi {
		return nil
	}
	i := &Symbol{Name: nest.Loop.Index.Name, Ident: nest.Loop.Index.Ident}
	wave := f.Unique("wave")
	w := &Symbol{Name: wave, Ident: wave}
	si, sj := by*direction(nest.Loop), direction(inner.Loop)
	first, last := nest.Loop.Lo[0], nest.Loop.Hi[0].Minus(Number(1))
	// The extremes of w = si*i + sj*j, where from + lo*i <= j <= to - 1 + hi*i.
	low, least, high, most := lo, from, hi, to.Minus(Number(1))
	if sj < 0 {
		low, least, high, most = -hi, Number(0).Minus(most), -lo, Number(0).Minus(from)
	}
	end := func(c int64, small bool) Poly {
		if (c >= 0) == small {
			return first.Times(Number(c))
		}
		return last.Times(Number(c))
	}
	inside := &Loop{Index: i, Lo: []Poly{first}, Hi: []Poly{nest.Loop.Hi[0]}, Step: 1, Diagonal: true}
	over := &Loop{
		Index: w, Step: 1,
		Lo: []Poly{end(si+low, true).Plus(least)}, Hi: []Poly{end(si+high, false).Plus(most).Plus(Number(1))},
		Wave: &Wave{Outer: i, Inner: inner.Loop.Index, J: Of(w).Minus(Of(i).Times(Number(si))).Times(Number(sj)), Nest: nest, By: by},
	}
	i.Loop, w.Loop = inside, over
	inside.atMost(si+low, Of(w).Minus(least), first)
	inside.atMost(-si-high, most.Minus(Of(w)), first)
	body := &Node{Loop: inside, Pos: inner.Pos, Origin: inner.Origin}
	put := func(p Poly) Poly { return p.Replace(inner.Loop.Index, over.Wave.J).Replace(nest.Loop.Index, Of(i)) }
	for _, c := range inner.Children {
		body.Children = append(body.Children, c.replaced(put))
	}
	return &Node{Loop: over, Children: []*Node{body}, Pos: nest.Pos, Origin: nest.Origin}
}

// atMost adds the bound that c times the index is at most r. first is a bound of the index.
func (l *Loop) atMost(c int64, r, first Poly) {
	r = r.Minus(first.Times(Number(c))) // c times the index beyond first is at most r
	quotient := func(of Poly, by int64) Poly {
		if by == 1 {
			return of
		}
		return Of(Divide(of, by).Quotient)
	}
	switch {
	case c > 0: // (r+c)/c is 0 or less where r is negative, although the division truncates
		l.Hi = append(l.Hi, first.Plus(quotient(r.Plus(Number(c)), c)))
	case c < 0:
		c = -c
		l.Lo = append(l.Lo, first.Plus(quotient(Number(c-1).Minus(r), c)))
	}
}

// replaced returns a copy of a node with other polynomials.
func (n *Node) replaced(put func(Poly) Poly) *Node {
	m := *n
	list := func(all []Poly) (out []Poly) {
		for _, p := range all {
			out = append(out, put(p))
		}
		return out
	}
	if l := n.Loop; l != nil {
		loop := *l
		loop.Lo, loop.Hi = list(l.Lo), list(l.Hi)
		m.Loop = &loop
	}
	if c := n.Cond; c != nil {
		cond := Cond{AtLeast0: list(c.AtLeast0)}
		if c.Not0 != nil {
			p := put(*c.Not0)
			cond.Not0 = &p
		}
		m.Cond = &cond
	}
	m.Own = slices.Clone(n.Own)
	for k, a := range n.Own {
		if a.Access == nil {
			continue
		}
		access := *a.Access
		if access.At != nil {
			p := put(*access.At)
			access.At = &p
		}
		access.Inside = list(access.Inside)
		m.Own[k].Access = &access
	}
	m.Children = nil
	for _, c := range n.Children {
		m.Children = append(m.Children, c.replaced(put))
	}
	return &m
}
