package phase

import (
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// A Fold combines vectors of words. Of is called with several vectors of equal length, one after
// the other, and returns one.
type Fold struct {
	Of func(vectors []uint64) []uint64
	// AnyOrder says that vectors may be combined in any grouping and order, with the same result.
	// Otherwise Of gets the vectors of all ranks at once, by rank.
	AnyOrder bool
}

// Folds reports whether Reduce is possible: the lists travel over a tree.
func (e *Engine) Folds() bool { return e.tree.Arity > 0 }

// Reduce is Call for a Reduce of vectors, which have the same length, at least 1, on all ranks. It
// returns the vectors of all ranks combined by f, the same on every rank. The result is valid until
// the engine's next call.
func (e *Engine) Reduce(l *syncvar.List, vector []uint64, f Fold) ([]uint64, error) {
	c := &e.fold
	l.Call, l.Word = syncvar.Reduce, uint64(len(vector))<<1
	if f.AnyOrder {
		l.Word++
	}
	c.own, c.by = vector, f
	err := e.Call(l)
	c.own, c.by = nil, Fold{}
	if err != nil || len(c.all) == len(vector) {
		return c.all, err
	}
	return f.Of(c.all), nil
}

// folding carries the words of a Reduce over the tree, behind the lists. Up go the words of a
// subtree: the combined vector where the order does not matter, otherwise the vectors of its ranks,
// each rank's own before those of its children. Down comes the combined vector or, if rank 0 cannot
// combine for all ranks, the vectors of all ranks, by rank. Words travel up from a subtree only if
// all of its ranks are in a Reduce of vectors of the same length.
//
// In the list of a Reduce that travels over a tree, Word is twice the length of the vectors, and 1
// more if the order does not matter. It is 0 if all ranks want the words of all ranks.
type folding struct {
	own []uint64 // the vector of this rank, in Engine.Reduce
	by  Fold     // in Engine.Reduce

	width int      // words of each rank; 0 outside a Reduce
	words []byte   // of this rank
	below [][]byte // by child: the words of its subtree
	all   []uint64 // what came down

	single [1]uint64 // own, if all ranks want the words of all
}

// word returns the Word of the list that is sent.
func (f *folding) word(l *syncvar.List) uint64 {
	if f.by.Of == nil {
		return 0
	}
	return l.Word
}

// begin begins a phase with this rank's list.
func (f *folding) begin(l *syncvar.List, children int) {
	for len(f.below) < children {
		f.below = append(f.below, nil)
	}
	for i := range f.below {
		f.below[i] = f.below[i][:0]
	}
	f.width, f.words = 0, f.words[:0]
	if l.Call != syncvar.Reduce {
		return
	}
	own := f.own
	if f.by.Of == nil {
		f.single[0] = l.Word
		own = f.single[:]
	}
	f.width = len(own)
	f.words = appendWords(f.words, own)
}

func appendWords(b []byte, words []uint64) []byte {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// decodeWords appends the words of b, a whole number of them, to words.
func decodeWords(words []uint64, b []byte) []uint64 {
	for ; len(b) > 0; b = b[dimmnet.WordBytes:] {
		words = append(words, binary.LittleEndian.Uint64(b))
	}
	return words
}

// takeWords takes the words of a child's subtree.
func (e *Engine) takeWords(child dimmnet.Rank, words []byte) error {
	if n := len(words); n%dimmnet.WordBytes != 0 {
		return fmt.Errorf("phase: rank %d sent %d bytes of words for %d ranks", child, n, e.tree.Size(child))
	}
	i := int(child) - int(e.tree.Children(e.rank)[0])
	e.fold.below[i] = append(e.fold.below[i], words...)
	return nil
}

// gatherWords returns the words of this rank's subtree, or nil if they do not travel.
func (e *Engine) gatherWords() []byte {
	f := &e.fold
	if f.width == 0 {
		return nil
	}
	words := f.words
	for i, c := range e.tree.Children(e.rank) {
		want := f.width * dimmnet.WordBytes
		if !f.by.AnyOrder {
			want *= e.tree.Size(c)
		}
		if len(f.below[i]) != want {
			return nil
		}
		words = append(words, f.below[i]...)
	}
	f.words = words
	if f.by.AnyOrder && len(e.tree.Children(e.rank)) > 0 {
		f.words = appendWords(f.words[:0], f.by.Of(decodeWords(nil, words)))
	}
	return f.words
}

// finishWords returns the words that come down, given those of all ranks as they have come up.
func (e *Engine) finishWords(up []byte) []byte {
	f := &e.fold
	if len(up) == 0 || f.by.AnyOrder {
		return up
	}
	all := make([]uint64, f.width*e.tree.Nodes)
	var place func(r dimmnet.Rank)
	place = func(r dimmnet.Rank) {
		decodeWords(all[int(r)*f.width:][:0], up[:f.width*dimmnet.WordBytes])
		up = up[f.width*dimmnet.WordBytes:]
		for _, c := range e.tree.Children(r) {
			place(c)
		}
	}
	place(0)
	if f.by.Of != nil && e.uniform {
		all = f.by.Of(all)
	}
	return appendWords(nil, all)
}

// takeAllWords takes the words that come down.
func (e *Engine) takeAllWords(from dimmnet.Rank, words []byte) error {
	f := &e.fold
	f.all = f.all[:0]
	one := f.width * dimmnet.WordBytes
	switch n := len(words); {
	case n == 0 && !(f.width > 0 && e.uniform):
		return nil // some ranks are not in the Reduce
	case f.width > 0 && (n == one && f.by.Of != nil || n == one*e.tree.Nodes):
		f.all = decodeWords(f.all, words)
		return nil
	default:
		return fmt.Errorf("phase: rank %d sent %d bytes of words for %d ranks", from, n, e.tree.Nodes)
	}
}
