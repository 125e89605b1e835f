package parts

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
)

// KeepSums adds x to checkpoints: this rank's part of sums over all ranks that the program has not
// added up yet. When the run resumes, the parts of all ranks have the same sums, bit for bit if T
// is an integer. It is collective; see [fagus.Keep].
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

// KeepExact is [KeepSums] for Exact.
func KeepExact(n *fagus.Node, name string, x []Exact) {
	fagus.KeepEach(n, name, func() []byte {
		b := binary.LittleEndian.AppendUint64(nil, uint64(len(x)))
		for _, word := range encodeExact(x) {
			b = binary.LittleEndian.AppendUint64(b, word)
		}
		return b
	}, func(saved []byte) error {
		words := decode(saved)
		if words[0] != uint64(len(x)) {
			return fmt.Errorf("parts: %d exact sums: want %d: the checkpoint is of another program, or of another input", words[0], len(x))
		}
		words = words[1:]
		for i := range x {
			x[i].carry()
			words = x[i].addNext(words)
		}
		return nil
	})
}

// KeepBlock is [fagus.Keep] for this rank's [Block] of items, each of which has unit elements.
func KeepBlock[T any](n *fagus.Node, name string, x *[]T, items, unit int) {
	lo, _ := Block(items, n.Nodes(), n.Rank())
	fagus.Keep(n, name, x, lo*unit, items*unit)
}

// KeepColumns is [fagus.Keep] for this rank's columns of a matrix, row by row. They are dealt to
// the ranks as [Cyclic] deals items, in blocks of so many columns; the last block may be narrower.
// It panics if *x has another length.
func KeepColumns[T any](n *fagus.Node, name string, x *[]T, rows, columns, block int) {
	own := Cyclic((columns+block-1)/block, n.Nodes(), n.Rank())
	width := func(b int) int { return min(block, columns-b*block) }
	all := 0
	for _, b := range own {
		all += width(b)
	}
	if len(*x) != rows*all {
		panic(fmt.Sprintf("parts: KeepColumns %q: %d elements: want %d rows of %d columns", name, len(*x), rows, all))
	}
	fagus.KeepParts(n, name, rows*columns, func(yield func(int, []T) bool) {
		if len(*x) != rows*all {
			return // so that Checkpoint reports another length
		}
		rest := *x
		for i := range rows {
			for _, b := range own {
				if !yield(i*columns+b*block, rest[:width(b)]) {
					return
				}
				rest = rest[width(b):]
			}
		}
	})
}

// bytesOf returns the memory of x.
func bytesOf[T any](x []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(one)))
}
