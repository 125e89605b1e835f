package phase

import (
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// With more than RingNodes nodes, or where the LLCM does not hold rings to all peers, the lists
// travel over a tree. Each rank sends its own list and the lists of the ranks below it to its
// parent, as one bundle. The root sends the bundle of all ranks down again. So a rank needs rings
// to its neighbours only, however many nodes there are.
//
// For each rank, a bundle holds the rank (uvarint), the length of its list (uvarint) and the list.

// treeArity is the number of children of a rank: as many as a barrier of DIMMnet-1 has
// (docs/papers.md, DIMMnet-1, Barrier and global sum by AOTF).
const treeArity = 8

// maxBundleBytes bounds the size of all lists of a phase.
const maxBundleBytes = 1 << 28

func (e *Engine) maxListBytes() int {
	if e.tree.Arity > 0 {
		return maxBundleBytes
	}
	return syncvar.MaxListBytes
}

func appendBundle(b []byte, of dimmnet.Rank, list []byte) []byte {
	b = binary.AppendUvarint(b, uint64(of))
	b = binary.AppendUvarint(b, uint64(len(list)))
	return append(b, list...)
}

func eachList(b []byte, f func(of uint64, list []byte) error) error {
	for len(b) > 0 {
		of, n := binary.Uvarint(b)
		if n <= 0 {
			return fmt.Errorf("phase: a bundle of lists ends early")
		}
		b = b[n:]
		length, n := binary.Uvarint(b)
		if n <= 0 || length > uint64(len(b)-n) {
			return fmt.Errorf("phase: a bundle of lists ends early, in the list of rank %d", of)
		}
		if err := f(of, b[n:][:length]); err != nil {
			return err
		}
		b = b[n+int(length):]
	}
	return nil
}

func (e *Engine) gatherUp() {
	e.bundle = appendBundle(e.bundle[:0], e.rank, e.ownList)
	e.below = len(e.tree.Children(e.rank))
	if e.below == 0 {
		e.gathered()
	}
}

func (e *Engine) gathered() {
	if parent, ok := e.tree.Parent(e.rank); ok {
		e.out[e.peer(parent)].sendLists(e.bundle)
	} else {
		e.spread(e.bundle)
	}
}

func (e *Engine) spread(bundle []byte) {
	for _, c := range e.tree.Children(e.rank) {
		e.out[e.peer(c)].sendLists(bundle)
	}
}

// takeBundle takes the bundle of a child's subtree, or the bundle of all ranks from the parent.
func (e *Engine) takeBundle(from dimmnet.Rank, bundle []byte) error {
	own := e.rank
	child := from > own
	seen, count := make([]bool, len(e.lists)), 0
	err := eachList(bundle, func(of uint64, list []byte) error {
		if of >= uint64(len(e.lists)) || seen[of] || child && !e.tree.Below(dimmnet.Rank(of), from) {
			return fmt.Errorf("phase: rank %d sent a list of rank %d, which is not due from it", from, of)
		}
		seen[of] = true
		count++
		if dimmnet.Rank(of) == own {
			return nil
		}
		return e.setList(dimmnet.Rank(of), list)
	})
	if err != nil {
		return err
	}
	want := len(e.lists)
	if child {
		want = e.tree.Size(from)
	}
	if count != want {
		return fmt.Errorf("phase: rank %d sent the lists of %d ranks instead of %d", from, count, want)
	}
	if !child {
		e.spread(bundle)
		return nil
	}
	e.bundle = append(e.bundle, bundle...)
	if e.below--; e.below == 0 {
		e.gathered()
	}
	return nil
}
