package tree

import (
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/agreement"
	"github.com/fagus-dsm/fagus/syncvar"
)

// folding carries the words of a Reduce over the tree, behind the lists. The words of a subtree go
// up: the combined vector where the order does not matter, otherwise the vectors of its ranks,
// each rank's own before those of its children. The combined vector comes down or, if rank 0
// cannot combine for all ranks, the vectors of all ranks, by rank. Words travel up from a subtree
// only if all of its ranks are in a Reduce of vectors of the same length.
//
// In the list of a Reduce that travels over a tree, Word is twice the length of the vectors, plus
// 1 if the order does not matter. It is 0 if all ranks want the words of all ranks.
type folding struct {
	own []uint64 // the vector of this rank, until by is set
	by  agreement.Fold

	width int      // words of each rank; 0 outside a Reduce
	words []byte   // of this rank
	below [][]byte // by child: the words of its subtree
	all   []uint64 // the words that came down

	single [1]uint64 // holds own if all ranks want the words of all
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
func (p *Protocol) takeWords(child dimmnet.Rank, words []byte) error {
	if n := len(words); n%dimmnet.WordBytes != 0 {
		return fmt.Errorf("phase: rank %d sent %d bytes of words for %d ranks", child, n, p.tree.Size(child))
	}
	i := int(child) - int(p.tree.Children(p.m.Rank)[0])
	p.fold.below[i] = append(p.fold.below[i], words...)
	return nil
}

// gatherWords returns the words of this rank's subtree, or nil if they do not travel.
func (p *Protocol) gatherWords() []byte {
	f := &p.fold
	if f.width == 0 {
		return nil
	}
	words := f.words
	for i, c := range p.tree.Children(p.m.Rank) {
		want := f.width * dimmnet.WordBytes
		if !f.by.AnyOrder {
			want *= p.tree.Size(c)
		}
		if len(f.below[i]) != want {
			return nil
		}
		words = append(words, f.below[i]...)
	}
	f.words = words
	if f.by.AnyOrder && len(p.tree.Children(p.m.Rank)) > 0 {
		f.words = appendWords(f.words[:0], f.by.Of(decodeWords(nil, words)))
	}
	return f.words
}

// finishWords returns the words that come down, given the words that have come up.
func (p *Protocol) finishWords(up []byte) []byte {
	f := &p.fold
	if len(up) == 0 || f.by.AnyOrder {
		return up
	}
	all := make([]uint64, f.width*p.tree.Nodes)
	var place func(r dimmnet.Rank)
	place = func(r dimmnet.Rank) {
		decodeWords(all[int(r)*f.width:][:0], up[:f.width*dimmnet.WordBytes])
		up = up[f.width*dimmnet.WordBytes:]
		for _, c := range p.tree.Children(r) {
			place(c)
		}
	}
	place(0)
	if f.by.Of != nil && p.uniform {
		all = f.by.Of(all)
	}
	return appendWords(nil, all)
}

// takeAllWords takes the words that come down.
func (p *Protocol) takeAllWords(from dimmnet.Rank, words []byte) error {
	f := &p.fold
	f.all = f.all[:0]
	one := f.width * dimmnet.WordBytes
	switch n := len(words); {
	case n == 0 && !(f.width > 0 && p.uniform):
		return nil // some ranks are not in the Reduce
	case f.width > 0 && (n == one && f.by.Of != nil || n == one*p.tree.Nodes):
		f.all = decodeWords(f.all, words)
		return nil
	default:
		return fmt.Errorf("phase: rank %d sent %d bytes of words for %d ranks", from, n, p.tree.Nodes)
	}
}
