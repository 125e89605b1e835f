package collective

import "github.com/fagus-dsm/fagus/dimmnet"

// arity is the number of members of a group in the tree, limited by the bytes of a word.
const arity = dimmnet.WordBytes

// levels returns ceil(log8 nodes).
func levels(nodes int) (n int) {
	for span := 1; span < nodes; span *= arity {
		n++
	}
	return n
}

type tree struct {
	below [][]dimmnet.Rank // the children on each level, by digit from 1; no level is empty
	above []dimmnet.Rank   // the parent; empty at rank 0
	level int              // level on which this rank is a child
	digit int              // its digit on that level
}

func newTree(rank dimmnet.Rank, nodes int) tree {
	var t tree
	for span := 1; span < nodes; span *= arity {
		if t.digit = int(rank) / span % arity; t.digit != 0 {
			t.above = []dimmnet.Rank{rank - dimmnet.Rank(t.digit*span)}
			return t
		}
		var children []dimmnet.Rank
		for d := 1; d < arity && int(rank)+d*span < nodes; d++ {
			children = append(children, rank+dimmnet.Rank(d*span))
		}
		if children != nil {
			t.below = append(t.below, children)
		}
		t.level++
	}
	return t
}
