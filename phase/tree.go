package phase

import (
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// With more than RingNodes nodes, or where rings to all peers do not fit, the lists travel over a tree: each rank
// sends its own and those from below to its parent, as one bundle, and the root
// sends the bundle of all down again. So a rank needs a ring for its neighbours
// only, whatever the number of nodes.
//
// A bundle is rank, length and list of one rank after another; both numbers are
// uvarints.

// treeArity is how many ranks are right below one: as many as a barrier of
// DIMMnet-1 has children (spec/10).
const treeArity = 8

// maxBundleBytes bounds the lists of a phase together.
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

// eachList calls f with the lists of a bundle from the wire.
func eachList(b []byte, f func(of uint64, list []byte) error) error {
	for len(b) > 0 {
		of, n := binary.Uvarint(b)
		if n <= 0 {
			return fmt.Errorf("phase: a bundle of lists ends early")
		}
		b = b[n:]
		length, n := binary.Uvarint(b)
		if n <= 0 || length > uint64(len(b)-n) {
			return fmt.Errorf("phase: a bundle of lists ends early, in that of rank %d", of)
		}
		if err := f(of, b[n:][:length]); err != nil {
			return err
		}
		b = b[n+int(length):]
	}
	return nil
}

// climb begins the gathering of lists with the own one.
func (e *Engine) climb() {
	e.bundle = appendBundle(e.bundle[:0], e.port.Rank(), e.wire)
	e.below = len(e.tree.Children(e.port.Rank()))
	if e.below == 0 {
		e.climbed()
	}
}

// climbed sends up what has come from below. At the root that is everything, and
// goes down.
func (e *Engine) climbed() {
	if parent, ok := e.tree.Parent(e.port.Rank()); ok {
		e.out[e.peer(parent)].list = e.bundle
	} else {
		e.descend(e.bundle)
	}
}

// descend sends the lists of all to those below.
func (e *Engine) descend(bundle []byte) {
	for _, c := range e.tree.Children(e.port.Rank()) {
		e.out[e.peer(c)].list = bundle
	}
}

// takeBundle takes the lists that a neighbour has gathered: a child those of the
// ranks below it, the parent those of all.
func (e *Engine) takeBundle(from dimmnet.Rank, bundle []byte) error {
	own := e.port.Rank()
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
		e.descend(bundle)
		return nil
	}
	e.bundle = append(e.bundle, bundle...)
	if e.below--; e.below == 0 {
		e.climbed()
	}
	return nil
}
