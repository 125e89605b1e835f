package loops

import "slices"

// reduces reports whether two accesses in a loop, which may meet, belong to reductions of one
// element by one operator. No other access of the loop may meet this element.
func (n *Node) reduces(a, b place, all []place) bool {
	if !n.reducible(a) || !a.reducedLike(b.Access) || !n.reducible(b) {
		return false
	}
	return !slices.ContainsFunc(all, func(o place) bool {
		return o.Array == a.Array && !(n.reducible(o) && a.reducedLike(o.Access)) && mayTouch(n, a, o)
	})
}

// reducible reports whether an access is a part of a reduction that every iteration of the loop
// executes, so that the element exists if the loop has an iteration.
func (n *Node) reducible(a place) bool {
	return a.Fold != "" && a.Fold != "&&" && a.Fold != "||" && a.Fixed && a.At != nil && !n.changes(*a.At) && a.node.parent == n
}

// reducedLike reports whether two accesses belong to reductions of one element with one operator.
func (a *Access) reducedLike(b *Access) bool {
	return a.Array == b.Array && a.Fold == b.Fold && a.Text == b.Text && a.At != nil && b.At != nil && a.At.Equal(*b.At)
}

// around returns the number of loops around a node.
func (n *Node) around() (count int) {
	for n = n.parent; n != nil; n = n.parent {
		if n.Loop != nil {
			count++
		}
	}
	return count
}

// element adds the reduction of an element, unless it is known.
func (v *Verdict) element(a, b place) {
	if b.Write {
		a = b
	}
	if a.Write && !slices.ContainsFunc(v.Folds, func(f Fold) bool { return f.Element != nil && f.Element.reducedLike(a.Access) }) {
		v.Folds = append(v.Folds, Fold{Element: a.Access, Operator: a.Fold})
	}
}

// Elements returns the reductions of elements.
func (s *Step) Elements() []Fold {
	return slices.DeleteFunc(slices.Clone(s.Folds), func(f Fold) bool { return f.Element == nil })
}

// Reduces reports whether an access belongs to the reduction of an element.
func (f Fold) Reduces(a *Access) bool { return f.Element != nil && f.Element.reducedLike(a) }
