package fagus

import (
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Word is a type that Reduce can combine: a number of at most 8 bytes.
type Word interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64
}

// Reduce combines the numbers x of all ranks, and returns the result on every rank. Reduce is also
// a Barrier: it returns when all ranks have called it, and the rank must hold no variable. The
// numbers are combined in the order of the ranks:
//
//	combine(...combine(combine(x0, x1), x2)..., xN-1)
//
// Each rank computes this expression by itself or, with many ranks, rank 0 for all (see
// [Node.Folds]). The result therefore has the same bits on all ranks, in both modes and on every
// network, provided that all ranks use the same type T and an equivalent function. With one rank
// the result is x. The function must not call methods of n.
//
// Reduce does not detect that ranks use different types: each rank then reads the bits of all
// numbers as its own type. If Reduce fails, it returns 0 and the error that Barrier would return.
// Stats counts the call under PartBarrier.
func Reduce[T Word](n *Node, x T, combine func(a, b T) T) (T, error) {
	all := func(words []uint64) T {
		all := NumberOf[T](words[0])
		for _, w := range words[1:] {
			all = combine(all, NumberOf[T](w))
		}
		return all
	}
	if n.Folds() {
		result, err := n.Fold([]uint64{WordOf(x)}, Fold{Of: func(words []uint64) []uint64 { return []uint64{WordOf(all(words))} }})
		if err != nil {
			return 0, err
		}
		return NumberOf[T](result[0]), nil
	}
	if err := n.exchange("Reduce", WordOf(x)); err != nil {
		return 0, err
	}
	return all(n.engine.Words()), nil
}

// Gather returns the numbers x of all ranks, by rank, on every rank. In all other respects it is a
// [Reduce], and one rank may call Gather while another calls Reduce.
//
// Ranks that divide work by what each of them says need no more than this: each computes the same
// division. For example, rank r of those that want x[r] items each, in the order of the ranks,
// begins at the sum of x[:r].
func Gather[T Word](n *Node, x T) ([]T, error) {
	if err := n.exchange("Gather", WordOf(x)); err != nil {
		return nil, err
	}
	all := make([]T, n.nodes)
	for r, w := range n.engine.Words() {
		all[r] = NumberOf[T](w)
	}
	return all, nil
}

// A Fold combines vectors of words; see Node.Fold. Of is called with several vectors of equal
// length, one after the other, and returns one. Without AnyOrder it gets the vectors of all ranks,
// by rank; AnyOrder says that every grouping and order has the same result, as in a sum of
// integers.
type Fold = phase.Fold

// Folds reports whether Fold is possible: in Phase mode, with so many ranks that no rank talks to
// all others. Reduce, and Sums of package parts, use Fold then.
func (n *Node) Folds() bool {
	e, ok := n.engine.(folder)
	return ok && e.Folds()
}

// folder is an engine of Phase mode.
type folder interface {
	Folds() bool
	Reduce(vector []uint64, f Fold) ([]uint64, error)
	Latest() syncvar.Latest
}

// Fold is a [Reduce] of vectors, which have the same length, at least 1, on all ranks. It returns
// all of them combined by f, the same on every rank, and valid until the next call of n. No rank
// handles the vectors of all ranks, except rank 0 if the order matters. If n does not support it,
// Fold fails.
func (n *Node) Fold(vector []uint64, f Fold) (result []uint64, err error) {
	if err := n.ready("Fold"); err != nil {
		return nil, err
	}
	e, ok := n.engine.(folder)
	if !ok || !e.Folds() || len(vector) == 0 {
		return nil, n.errorf("Fold of %d words on %d ranks: not supported here; see Folds", len(vector), n.nodes)
	}
	if err := n.enterMeeting(rollcall.Reduce, PartBarrier); err != nil {
		return nil, err
	}
	if n.outside != nil {
		n.outside.Number(recording.Vector, recording.Hash(bytesOf(vector)))
	}
	if result, err = e.Reduce(vector, f); err == nil && n.rank == 0 && n.kept != nil && n.outside != nil {
		n.kept.Bytes(recording.Folded, bytesOf(result)) // what a replay returns is in the records
	}
	return result, n.leaveMeeting(rollcall.Reduce, PartBarrier, e.Latest(), err)
}

// exchange makes the words of all ranks known to every rank.
func (n *Node) exchange(call string, word uint64) error {
	if err := n.ready(call); err != nil {
		return err
	}
	return n.meet(syncvar.Reduce, PartBarrier, n.number(recording.Word, word))
}

// WordOf returns the bits of x in the low-order bytes of a word, on machines of any byte order: for
// the words of [Node.Fold].
func WordOf[T Word](x T) uint64 {
	p := unsafe.Pointer(&x)
	switch unsafe.Sizeof(x) {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// NumberOf returns the number whose bits are the low-order bytes of w.
func NumberOf[T Word](w uint64) (x T) {
	p := unsafe.Pointer(&x)
	switch unsafe.Sizeof(x) {
	case 1:
		*(*uint8)(p) = uint8(w)
	case 2:
		*(*uint16)(p) = uint16(w)
	case 4:
		*(*uint32)(p) = uint32(w)
	default:
		*(*uint64)(p) = w
	}
	return x
}
