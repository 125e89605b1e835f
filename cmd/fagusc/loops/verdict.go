package loops

import (
	"fmt"
	"slices"
)

// Verdict says whether the iterations of a loop can be executed by several ranks.
type Verdict struct {
	Node *Node
	// Reasons say why not; none if they can.
	Reasons []string
	// Folds are the scalars and arrays of which every rank makes a part.
	Folds []Fold
	// Cyclic says that ranks take turns, since later iterations have less to do, or are not all executed every time; else every rank has
	// a block.
	Cyclic bool
}

// Fold is what ranks put together with an operator.
type Fold struct {
	Scalar   *Scalar // or
	Array    *Array
	Operator string
}

// judge says whether a loop can be parallel.
func (f *Function) judge(n *Node) *Verdict {
	v := &Verdict{Node: n}
	l := n.Loop
	switch {
	case l.Index == nil || !l.Affine():
		v.refuse("it does not count from one bound to another that are both known before it begins")
	}
	for inner := range n.All() {
		if inner.Opaque != "" {
			v.refuse("%s (%s)", inner.Opaque, inner.Pos)
		}
	}
	if l.Leaves {
		v.refuse("it may leave the loop before its end")
	}
	if len(v.Reasons) == 0 {
		f.scalars(v)
		f.arrays(v)
		v.Cyclic = len(v.Folds) == 0 && f.uneven(n) // parts are put together in the order of the iterations
		if l.Down && len(v.Folds) > 0 {
			v.refuse("it counts down, and folds: ranks count up")
		}
	}
	return v
}

func (v *Verdict) refuse(format string, args ...any) {
	v.Reasons = append(v.Reasons, fmt.Sprintf(format, args...))
}

// arrays looks for accesses to the same element in different iterations, of which one writes.
func (f *Function) arrays(v *Verdict) {
	var all []place
	for n := range v.Node.All() {
		for _, a := range n.Own {
			if a.Access != nil {
				all = append(all, place{a.Access, n})
			}
		}
	}
	met := make(map[*Array]bool)
	for i, a := range all {
		for _, b := range all[i:] {
			if met[a.Array] || !a.Write && !b.Write || !mayMeet(v.Node, a, b) {
				continue
			}
			met[a.Array] = true
			if op := folded(all, a.Array); op != "" && !slices.ContainsFunc(v.Folds, func(f Fold) bool { return f.Array != nil }) {
				v.Folds = append(v.Folds, Fold{Array: a.Array, Operator: op})
				continue
			}
			if b.Write && !a.Write {
				a, b = b, a
			}
			v.refuse("%s", conflict(v.Node, a, b))
		}
	}
}

func conflict(n *Node, a, b place) string {
	did := "reads"
	if b.Write {
		did = "writes"
	}
	if a == b {
		return fmt.Sprintf("two iterations may write the same element by %s (%s)", a.Text, a.Pos)
	}
	return fmt.Sprintf("%s, which it writes (%s), may be %s, which another iteration %s (%s)", a.Text, a.Pos, b.Text, did, b.Pos)
}

// folded is the one operator by which all accesses change an array; empty if there are others.
func folded(all []place, array *Array) (op string) {
	for _, a := range all {
		if a.Array != array {
			continue
		}
		if a.Fold == "" || op != "" && op != a.Fold {
			return ""
		}
		op = a.Fold
	}
	return op
}

// uneven says whether the work of iterations depends on the index, or the bounds on loops around.
func (f *Function) uneven(n *Node) bool {
	bounds := func(l *Loop, s *Symbol) bool {
		return slices.ContainsFunc(slices.Concat(l.Lo, l.Hi), func(p Poly) bool { return p.Mentions(s) })
	}
	for outer := n.parent; outer != nil; outer = outer.parent {
		if outer.Loop != nil && outer.Loop.Index != nil && bounds(n.Loop, outer.Loop.Index) {
			return true
		}
	}
	for inner := range n.All() {
		if inner != n && inner.Loop != nil && bounds(inner.Loop, n.Loop.Index) && !even(inner.Loop, n.Loop.Index) {
			return true
		}
	}
	return false
}

// even says that a loop has as many iterations for every value of an index, or nearly: its bounds depend on it by a remainder alone, or two of
// them in the same way.
func even(l *Loop, s *Symbol) bool {
	for _, lo := range l.Lo {
		if slices.ContainsFunc(l.Hi, func(hi Poly) bool { return lo.Mentions(s) && !hi.Minus(lo).Mentions(s) }) {
			return true
		}
	}
	for _, p := range slices.Concat(l.Lo, l.Hi) {
		for f := range p.Symbols() {
			if f == s {
				return false
			}
		}
	}
	return true
}

// use is one of a scalar, at its node.
type use struct {
	*Use
	node   *Node
	action int // which of the node's
}

func (u use) before(o use) bool {
	return u.node.order < o.node.order || u.node == o.node && u.action < o.action
}

// reaches says that u, which writes, is executed whenever r is, earlier in the same iteration of all loops around both.
func (u use) reaches(r use) bool {
	return u.Write && !u.Partly && u.Fold == "" && u.before(r) && u.node.Loop == nil && (u.node.parent == nil || r.node.Within(u.node.parent))
}

// uses are those of all scalars.
func (f *Function) uses() map[*Scalar][]use {
	all := make(map[*Scalar][]use)
	for _, top := range f.Body {
		for n := range top.All() {
			for i, a := range n.Own {
				if a.Use != nil {
					all[a.Use.Scalar] = append(all[a.Use.Scalar], use{a.Use, n, i})
				}
			}
		}
	}
	return all
}

// scalars looks for those that carry a value from one iteration to another, or out of the loop.
func (f *Function) scalars(v *Verdict) {
	var found []*Scalar
	all := f.uses()
	for n := range v.Node.All() {
		for _, a := range n.Own {
			if a.Use != nil && a.Use.Write && !slices.Contains(found, a.Use.Scalar) {
				found = append(found, a.Use.Scalar)
			}
		}
	}
	for _, s := range found {
		f.scalar(v, s, all[s])
	}
}

func (f *Function) scalar(v *Verdict, s *Scalar, all []use) {
	var in, out []use
	op, one := "", true
	for _, u := range all {
		if !u.node.Within(v.Node) {
			out = append(out, u)
			continue
		}
		in = append(in, u)
		one = one && u.Fold != "" && (op == "" || op == u.Fold)
		op = u.Fold
	}
	if one {
		v.Folds = append(v.Folds, Fold{Scalar: s, Operator: op})
		return
	}
	for _, r := range in {
		if !r.Write && !slices.ContainsFunc(in, func(w use) bool { return w.reaches(r) }) {
			v.refuse("%s (%s) may have its value from another iteration", s.Name, r.Pos)
			return
		}
	}
	for _, r := range out {
		if !r.Write && sees(v.Node, r, out) {
			v.refuse("%s is used behind the loop (%s)", s.Name, r.Pos)
			return
		}
	}
}

// sees says whether a read may see what a loop, in which it is not, has left.
func sees(loop *Node, r use, out []use) bool {
	var common *Node // the innermost loop with both
	for n := loop.parent; n != nil && common == nil; n = n.parent {
		if n.Loop != nil && r.node.Within(n) {
			common = n
		}
	}
	behind := r.node.order > loop.order
	if !behind && common == nil {
		return false
	}
	return !slices.ContainsFunc(out, func(w use) bool {
		return w.reaches(r) && (w.node.order > loop.order) == behind && (common == nil || w.node.Within(common))
	})
}
