package checkpoints

import (
	"cmp"
	"iter"
	"slices"

	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// saved returns the ranges of an array of which one of two checkpoints has saved something, in
// ascending order. Everything else is 0 in both. Ranges begin and end at multiples of 16, or at the
// end of the array, so that no number is cut.
func saved(a, b *checkpoint.Snapshot, i, j int) iter.Seq2[int, int] {
	const align = 16
	length := a.Arrays()[i].Bytes
	pieces := append(slices.Collect(a.Pieces(i)), slices.Collect(b.Pieces(j))...)
	slices.SortFunc(pieces, func(x, y checkpoint.Piece) int { return cmp.Compare(x.Offset, y.Offset) })
	return func(yield func(from, end int) bool) {
		from, end := 0, 0
		for _, p := range pieces {
			lo, hi := p.Offset/align*align, length
			if p.Offset+p.Bytes < length-align {
				hi = (p.Offset + p.Bytes + align - 1) / align * align
			}
			if lo <= end {
				end = max(end, hi)
				continue
			}
			if end > from && !yield(from, end) {
				return
			}
			from, end = lo, hi
		}
		if end > from {
			yield(from, end)
		}
	}
}
