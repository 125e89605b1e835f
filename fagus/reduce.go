package fagus

import (
	"unsafe"

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
// Each rank computes this expression by itself. The result therefore has the same bits on all
// ranks, in both modes and on every network, provided that all ranks use the same type T and an
// equivalent function. With one rank the result is x. The function must not call methods of n.
//
// Reduce does not detect that ranks use different types: each rank then reads the bits of all
// numbers as its own type. If Reduce fails, it returns 0 and the error that Barrier would return.
// Stats counts the call under PartBarrier.
func Reduce[T Word](n *Node, x T, combine func(a, b T) T) (T, error) {
	if err := n.ready("Reduce"); err != nil {
		return 0, err
	}
	if err := n.meet(syncvar.Reduce, PartBarrier, wordOf(x)); err != nil {
		return 0, err
	}
	words := n.engine.Words()
	all := numberOf[T](words[0])
	for _, w := range words[1:] {
		all = combine(all, numberOf[T](w))
	}
	return all, nil
}

// wordOf returns the bits of x in the low-order bytes of a word, on machines of any byte order.
func wordOf[T Word](x T) uint64 {
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

// numberOf returns the number whose bits are the low-order bytes of w.
func numberOf[T Word](w uint64) (x T) {
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
