package loops

import "slices"

// mostPoints bounds the number of iterations at which split tries to divide a loop.
const mostPoints = 4

// split divides a loop that is not parallel at one iteration, e: into the iterations before e, e
// itself and the iterations behind e. It replaces the node by nodes for these, and returns their
// verdicts; nil if no such division makes the parts parallel.
//
// A division at any place keeps the order of iterations, so it is correct if each part is parallel
// by itself. In the Floyd-Warshall algorithm the iterations before row k read the old row k, and
// those behind it read the new one. The part e has one iteration, and the rank that has it in the
// division of the whole loop executes it: other ranks would need its data. If e moves, ranks take
// iterations in turn: with blocks, all would wait in one of the parts for the rank that has e.
func (f *Function) split(v *Verdict, deepest int) (parts []*Verdict) {
	n := v.Node
	l := n.Loop
	// Parts of a reduction would be combined in another order. The parts of a loop with a larger
	// step begin at iterations that are not polynomials.
	if l.Step != 1 || l.Part != nil || l.Wave != nil || l.Diagonal || l.AtOnce || l.Independent || len(v.Folds) > 0 || len(v.met) < len(v.Reasons) {
		return nil
	}
	siblings := &f.Body
	if n.parent != nil {
		siblings = &n.parent.Children
	}
	whole := *siblings
	at := slices.Index(whole, n)
	for _, e := range v.points() {
		nodes := n.divided(e)
		*siblings = slices.Concat(whole[:at], nodes, whole[at+1:])
		f.link()
		parts = nil
		for _, p := range nodes {
			if w := f.judge(p, deepest); len(w.Reasons) == 0 && len(w.Folds) == 0 {
				parts = append(parts, w)
			}
		}
		if len(parts) == len(nodes) {
			return parts
		}
		*siblings = whole
		f.link()
	}
	return nil
}

// points returns the iterations with which other iterations may conflict: values that do not change
// in the loop, where a subscript contains the index in one access and not in the other.
func (v *Verdict) points() (all []Poly) {
	n := v.Node
	places := n.accesses()
	for _, a := range places {
		for _, b := range places {
			if a.Array != b.Array || !a.Write && !b.Write || !slices.Contains(v.met, a.Array) {
				continue
			}
			equal, _ := equations(n, a, b)
			for _, pair := range equal {
				c, rest, ok := pair[0].Coefficient(n.Loop.Index)
				e := pair[1].Minus(rest).Times(Number(c))
				if !ok || c*c != 1 || n.changes(e) || slices.ContainsFunc(all, e.Equal) {
					continue
				}
				if all = append(all, e); len(all) == mostPoints {
					return all
				}
			}
		}
	}
	return all
}

// divided returns nodes for the iterations before e, for e and for those behind e, in the order of
// execution, but none for parts that certainly have no iteration.
func (n *Node) divided(e Poly) (parts []*Node) {
	l, next := n.Loop, e.Plus(Number(1))
	add := func(side int, lo, hi []Poly) {
		part, m := *l, n.clone()
		part.Lo, part.Hi, part.Part = lo, hi, &Part{l, e, side}
		m.Loop = &part
		parts = append(parts, m)
	}
	above := func(p, q Poly) bool { return provable(n, n, p.Minus(q), 0, true) }
	below := func(p, q Poly) bool { return above(q, p) }
	if !slices.ContainsFunc(l.Lo, func(lo Poly) bool { return above(lo, e) }) {
		add(-1, l.Lo, tightened(l.Hi, e, below))
	}
	add(0, tightened(l.Lo, e, above), tightened(l.Hi, next, below))
	if !slices.ContainsFunc(l.Hi, func(hi Poly) bool { return below(hi, next) }) {
		add(1, tightened(l.Lo, next, above), l.Hi)
	}
	if l.Down {
		slices.Reverse(parts)
	}
	return parts
}

// tightened adds a bound to others, without those that another one implies.
func tightened(bounds []Poly, e Poly, implies func(a, b Poly) bool) []Poly {
	if slices.ContainsFunc(bounds, func(b Poly) bool { return implies(b, e) }) {
		return bounds
	}
	rest := slices.DeleteFunc(slices.Clone(bounds), func(b Poly) bool { return implies(e, b) })
	return append(rest, e)
}

// clone returns a copy of a node and the nodes inside it, which shares their loops and accesses.
func (n *Node) clone() *Node {
	m := *n
	m.Children = nil
	for _, c := range n.Children {
		m.Children = append(m.Children, c.clone())
	}
	return &m
}
