package parts

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
)

// KeepSums says that checkpoints have x, this rank's part of sums over all ranks, which the program
// has not added up yet. When the run resumes, the parts of all ranks have the same sums, bit for
// bit if T is an integer. It is collective; see [fagus.Keep].
func KeepSums[T Number](n *fagus.Node, name string, x []T) {
	fagus.KeepEach(n, name, func() []byte { return bytesOf(x) }, func(saved []byte) error {
		if want := len(bytesOf(x)); len(saved) != want {
			return fmt.Errorf("parts: sums of %d bytes: want %d", len(saved), want)
		}
		y := make([]T, len(x))
		copy(bytesOf(y), saved)
		add(x, y)
		return nil
	})
}

// KeepExact is [KeepSums] of Exact.
func KeepExact(n *fagus.Node, name string, x []Exact) {
	fagus.KeepEach(n, name, func() (b []byte) {
		for _, word := range encodeExact(x) {
			b = binary.LittleEndian.AppendUint64(b, word)
		}
		return b
	}, func(saved []byte) error {
		words := decode(saved)
		for i := range x {
			x[i].carry()
			words = x[i].addNext(words)
		}
		return nil
	})
}

// mostRounds is the number of parts of work between which a checkpoint is possible.
const mostRounds = 16

// Rounds calls f for consecutive items, those from lo to hi-1 each time, from done on to items-1,
// which all ranks compute together. With Config.Checkpoints it divides them into some 16 parts, and
// calls Checkpoint in between, with the number of items done as the state. Without, there is one
// call. It is collective.
//
//	done := 0
//	n.Resume(&done)
//	err := parts.Rounds(n, done, items, func(lo, hi int) error { ... })
func Rounds(n *fagus.Node, done, items int, f func(lo, hi int) error) error {
	each := items
	if n.Checkpoints() {
		each = (items + mostRounds - 1) / mostRounds
	}
	for done < items {
		lo := done
		done = min(done+each, items)
		if err := f(lo, done); err != nil {
			return err
		}
		if done == items {
			break
		}
		if err := n.Checkpoint(done); err != nil {
			return err
		}
	}
	return n.Err()
}

// bytesOf returns the memory of x.
func bytesOf[T any](x []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(one)))
}
