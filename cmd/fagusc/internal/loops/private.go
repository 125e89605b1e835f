package loops

import "slices"

// private reports whether every iteration of a loop may use an array of its own instead of a local
// array: it reads only elements that it has written before, and no element that it writes is read
// after the loop.
func (f *Function) private(loop *Node, array *Array) bool {
	if !array.Local || array.Unfoldable != "" {
		return false
	}
	var writes []place // in the order of the function
	for n := range f.All() {
		for _, a := range n.Own {
			if a.Access == nil || a.Access.Array != array {
				continue
			}
			p := place{a.Access, n}
			if a.Access.Write && a.Access.Fold == "" && !a.Access.Partly && a.Access.At != nil {
				writes = append(writes, p)
			}
			if !a.Access.Write && !n.Within(loop) && !outside(loop, p, writes) {
				return false
			}
			if !a.Access.Write && n.Within(loop) && !slices.ContainsFunc(writes, func(w place) bool { return w.node.Within(loop) && w.precedes(p) }) {
				return false
			}
		}
	}
	return true
}

// outside reports whether a read outside a loop never sees a value that the loop has written.
// writes are the writes before it.
func outside(loop *Node, r place, writes []place) bool {
	v, meets := viewFrom(r.node, loop)
	return !meets || slices.ContainsFunc(writes, func(w place) bool {
		return w.precedes(r) && !w.node.Within(loop) && v.hides(w.node)
	})
}

// precedes reports whether w, which stands before p, always writes the element that p reads.
func (w place) precedes(p place) bool {
	if p.At == nil || !w.coversAs(p) {
		return false
	}
	for n := w.node.parent; n != nil && !p.node.Within(n); n = n.parent {
		if n.Loop != nil && n.Loop.Leaves {
			return false
		}
	}
	return true
}
