package loops

import (
	"cmp"
	"fmt"
	"slices"
)

// Verdict says whether several ranks can share the iterations of a loop.
type Verdict struct {
	Node    *Node
	Reasons []string // why ranks cannot share the iterations; empty if they can
	Folds   []Fold   // the reductions, of which every rank computes a part
	Private []*Array // local arrays that need no common contents: see private
	// Cyclic says that ranks take iterations in turn, because the work per iteration or the bounds
	// vary; otherwise every rank has a block.
	Cyclic bool

	met  []*Array // the arrays with a conflict in Reasons
	deep bool     // a reduction of an element is left out, because it is in too many loops
}

// Fold is a reduction: ranks combine their parts of a scalar, of an array or of an element with an
// operator.
type Fold struct {
	Scalar   *Scalar // these are nil but for one
	Array    *Array
	Element  *Access // a write to the element, whose subscript does not change in the loop
	Operator string
	Choice   *Choice // not nil if ranks keep the values of the rank with the best Choice.By
}

// judge judges a loop. It takes reductions of elements in at most so many loops around n.
func (f *Function) judge(n *Node, deepest int) *Verdict {
	v := &Verdict{Node: n}
	l := n.Loop
	switch {
	case l.Index == nil || !l.Affine():
		v.refuse("%s", cmp.Or(l.Unknown, "it does not count from one bound to another that are both known before it begins"))
	}
	for inner := range n.All() {
		if inner.Opaque != "" {
			v.refuse("%s (%s)", inner.Opaque, inner.Pos)
		}
	}
	if l.Exchanges {
		v.refuse("it exchanges slices")
	}
	if l.Leaves {
		v.refuse("it may leave the loop before its end")
	}
	if len(v.Reasons) == 0 {
		if f.scalars(v); !l.Diagonal {
			f.arrays(v, deepest)
		}
		// Reductions need blocks, because the parts combine in iteration order.
		v.Cyclic = len(v.Folds) == 0 && f.uneven(n)
		if l.Down && len(v.Folds) > 0 {
			v.refuse("it counts down and has a reduction, which ranks would compute counting up")
		}
	}
	return v
}

func (v *Verdict) refuse(format string, args ...any) {
	v.Reasons = append(v.Reasons, fmt.Sprintf(format, args...))
}

// arrays finds accesses to the same element in different iterations, at least one of which writes.
func (f *Function) arrays(v *Verdict, deepest int) {
	all := v.Node.accesses()
	met := make(map[*Array]bool)
	for i, a := range all {
		for _, b := range all[i:] {
			if met[a.Array] || !a.Write && !b.Write || !mayMeet(v.Node, a, b) {
				continue
			}
			met[a.Array] = true
			if f.private(v.Node, a.Array) {
				v.Private = append(v.Private, a.Array)
				continue
			}
			if v.Node.Loop.Independent && a.At != nil && b.At != nil {
				met[a.Array] = false // the next pair may be unknown
				continue
			}
			op, why := folded(all, a.Array), ""
			if v.Node.reduces(a, b, all) {
				if v.Node.around() <= deepest {
					v.element(a, b)
					met[a.Array] = false // the next pair may not be a reduction
					continue
				}
				v.deep, op = true, "" // to combine the whole array would take even longer
				why = fmt.Sprintf("; ranks do not reduce it, because they would meet in every iteration of %d loops", v.Node.around())
			}
			if op != "" && a.Array.Unfoldable != "" {
				op, why = "", why+"; it is not reduced, because "+a.Array.Unfoldable
			}
			if op != "" && !slices.ContainsFunc(v.Folds, func(f Fold) bool { return f.Array != nil }) {
				v.Folds = slices.DeleteFunc(v.Folds, func(f Fold) bool { return f.Element != nil && f.Element.Array == a.Array })
				v.Folds = append(v.Folds, Fold{Array: a.Array, Operator: op})
				continue
			}
			if b.Write && !a.Write {
				a, b = b, a
			}
			v.met = append(v.met, a.Array)
			v.refuse("%s%s", conflict(a, b), why)
			if v.Node.Loop.Independent {
				v.refuse("%s does not help, because the subscript does not tell which elements a rank accesses", f.Marks.Independent)
			}
		}
	}
}

func conflict(a, b place) string {
	did := "reads"
	if b.Write {
		did = "writes"
	}
	if a == b {
		return fmt.Sprintf("two iterations may write the same element by %s (%s)", a.Text, a.Pos)
	}
	return fmt.Sprintf("%s, which it writes (%s), may be %s, which another iteration %s (%s)", a.Text, a.Pos, b.Text, did, b.Pos)
}

// folded returns the operator if all accesses to an array are reductions with one operator, else
// "".
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

// uneven reports whether an iteration's work depends on the index, or the bounds on outer loops.
func (f *Function) uneven(n *Node) bool {
	// With one division for all parts, ranks take part in the iterations below a point and in those
	// above it, wherever the point is.
	whole := n.Loop.Undivided()
	moves := func(s *Symbol) bool { return n.Loop.Part != nil && n.Loop.Part.At.Mentions(s) }
	for outer := n.parent; outer != nil; outer = outer.parent {
		if outer.Loop != nil && outer.Loop.Index != nil && (whole.boundBy(outer.Loop.Index) || moves(outer.Loop.Index)) {
			return true
		}
	}
	return !n.Even()
}

// Even reports whether all iterations of a loop do nearly the same work.
func (n *Node) Even() bool {
	for inner := range n.All() {
		if inner != n && inner.Loop != nil && inner.Loop.boundBy(n.Loop.Index) && !even(inner.Loop, n.Loop.Index) {
			return false
		}
	}
	return true
}

// boundBy reports whether the bounds of a loop depend on an index.
func (l *Loop) boundBy(s *Symbol) bool {
	return slices.ContainsFunc(slices.Concat(l.Lo, l.Hi), func(p Poly) bool { return p.Mentions(s) })
}

// even reports whether a loop has nearly the same number of iterations for every value of an index:
// its bounds depend on the index only through a remainder, or both bounds depend on it equally.
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

// use is a use of a scalar with its node.
type use struct {
	*Use
	node   *Node
	action int // index in node.Own
}

func (u use) before(o use) bool {
	return u.node.order < o.node.order || u.node == o.node && u.action < o.action
}

// reaches reports whether u is a write that always precedes r in the same iteration.
func (u use) reaches(r use) bool {
	block := u.node.parent
	for block != nil && block.Call {
		block = block.parent
	}
	return u.Write && !u.Partly && (u.Fold == "" || u.Sets) && u.before(r) && u.node.Loop == nil && (block == nil || r.node.Within(block))
}

func (f *Function) uses() map[*Scalar][]use {
	all := make(map[*Scalar][]use)
	for n := range f.All() {
		for i, a := range n.Own {
			if a.Use != nil {
				all[a.Use.Scalar] = append(all[a.Use.Scalar], use{a.Use, n, i})
			}
		}
	}
	return all
}

// scalars finds scalars that carry a value from one iteration to another or out of the loop.
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
	for _, fold := range v.Folds {
		by := func(g Fold) bool { return g.Choice == fold.Choice && g.Scalar == fold.Choice.By }
		if fold.Choice != nil && !slices.ContainsFunc(v.Folds, by) {
			v.refuse("%s is assigned with %s, which is no reduction", fold.Scalar.Name, fold.Choice.By.Name)
		}
	}
}

func (f *Function) scalar(v *Verdict, s *Scalar, all []use) {
	var in, out []use
	one := true
	for _, u := range all {
		if !u.node.Within(v.Node) {
			out = append(out, u)
			continue
		}
		in = append(in, u)
		one = one && u.Fold != "" && u.Fold == in[0].Fold && u.Choice == in[0].Choice
	}
	if one {
		v.Folds = append(v.Folds, Fold{Scalar: s, Operator: in[0].Fold, Choice: in[0].Choice})
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
			v.refuse("%s is used after the loop (%s)", s.Name, r.Pos)
			return
		}
	}
}

// sees reports whether a read outside a loop may see a value that the loop has written.
func sees(loop *Node, r use, out []use) bool {
	v, meets := viewFrom(r.node, loop)
	return meets && !slices.ContainsFunc(out, func(w use) bool { return w.reaches(r) && v.hides(w.node) })
}

// view is how a node outside a loop meets what the loop has left.
type view struct {
	loop   *Node
	around *Node // the innermost loop that contains both; nil if there is none
	// behind says that the node stands behind the loop. If not, it is executed after it in the next
	// iteration of around.
	behind bool
}

// viewFrom returns the view of a node, and whether the node is ever executed after the loop.
func viewFrom(n, loop *Node) (v view, meets bool) {
	v = view{loop: loop, behind: n.order > loop.order}
	for m := loop.parent; m != nil && v.around == nil; m = m.parent {
		if m.Loop != nil && n.Within(m) {
			v.around = m
		}
	}
	return v, v.behind || v.around != nil
}

// hides reports whether a write that reaches the node from node w stands between it and the loop.
func (v view) hides(w *Node) bool {
	return (w.order > v.loop.order) == v.behind && (v.around == nil || w.Within(v.around))
}
