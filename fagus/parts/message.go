package parts

import (
	"encoding/binary"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
)

// message is a part of a shared array with any number of elements up to a limit. Before the
// elements is a word that gives their number, in the place of as many elements as a word takes.
// The word needs no variable of its own, and moves only if it changes.
type message[T any] []T

const wordBytes = 8

// prefix returns the number of elements that the word of a message takes.
func prefix[T any]() int {
	var x T
	size := max(1, int(unsafe.Sizeof(x))) // NewArray rejects types of size 0
	return (wordBytes + size - 1) / size
}

func (m message[T]) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m))), wordBytes)
}

func (m message[T]) setWord(word int) { binary.NativeEndian.PutUint64(m.bytes(), uint64(word)) }

func (m message[T]) word() int { return int(binary.NativeEndian.Uint64(m.bytes())) }

// set sets the word and the elements, and returns what changes: the elements lo to hi-1 of m.
func (m message[T]) set(word int, x []T) (lo, hi int) {
	lo, hi = prefix[T](), prefix[T]()+len(x)
	copy(m[lo:], x)
	if m.word() != word {
		m.setWord(word)
		lo = 0
	}
	return lo, hi
}

// wrote reports that this rank wrote the elements lo to hi-1 of an array, if there are any.
func wrote(n *fagus.Node, a elements, lo, hi int) error {
	if lo == hi {
		return nil
	}
	return n.Wrote(a.Range(lo, hi))
}
