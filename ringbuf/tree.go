package ringbuf

import (
	"fmt"
	"iter"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Tree connects the ranks of a run so that each has few neighbours: its parent and up to Arity
// children. Rank 0 is the root. The zero Tree connects no ranks.
type Tree struct {
	Nodes int
	Arity int
}

// Parent returns the parent of r; ok is false for the root.
func (t Tree) Parent(r dimmnet.Rank) (parent dimmnet.Rank, ok bool) {
	if r == 0 {
		return 0, false
	}
	return dimmnet.Rank((int(r) - 1) / t.Arity), true
}

// Children returns the children of r, in order.
func (t Tree) Children(r dimmnet.Rank) (children []dimmnet.Rank) {
	first := int(r)*t.Arity + 1
	for c := first; c < first+t.Arity && c < t.Nodes; c++ {
		children = append(children, dimmnet.Rank(c))
	}
	return children
}

// Below reports whether r is top or a descendant of top.
func (t Tree) Below(r, top dimmnet.Rank) bool {
	for r > top { // a parent has a smaller rank
		r, _ = t.Parent(r)
	}
	return r == top
}

// Subtree returns the ranks of the subtree of top: top and the ranks below it.
func (t Tree) Subtree(top dimmnet.Rank) iter.Seq[dimmnet.Rank] {
	return func(yield func(dimmnet.Rank) bool) {
		// Each level of the subtree is a run of consecutive ranks.
		for lo, hi := int(top), int(top)+1; lo < t.Nodes; lo, hi = lo*t.Arity+1, hi*t.Arity+1 {
			for r := lo; r < min(hi, t.Nodes); r++ {
				if !yield(dimmnet.Rank(r)) {
					return
				}
			}
		}
	}
}

// Size returns the number of ranks in the subtree of top.
func (t Tree) Size(top dimmnet.Rank) (n int) {
	for lo, hi := int(top), int(top)+1; lo < t.Nodes; lo, hi = lo*t.Arity+1, hi*t.Arity+1 {
		n += min(hi, t.Nodes) - lo
	}
	return n
}

// Index returns the number of peer among the neighbours of own: 0 for the parent, 1 to Arity for
// the children. It panics if the two are not neighbours.
func (t Tree) Index(own, peer dimmnet.Rank) int {
	if p, ok := t.Parent(own); ok && p == peer {
		return 0
	}
	if p, ok := t.Parent(peer); !ok || p != own {
		panic(fmt.Sprintf("ringbuf: ranks %d and %d are not neighbours in a tree of %d", own, peer, t.Nodes))
	}
	return 1 + (int(peer)-1)%t.Arity
}
