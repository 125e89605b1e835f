package fagus

import (
	"unsafe"

	"github.com/fagus-dsm/fagus/syncvar"
)

// Word is what a rank can give to a [Reduce]: a number of at most 8 bytes.
type Word interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64
}

// Reduce is a Barrier at which every rank gives x, and gets what combine makes of all of
// them in the order of the ranks:
//
//	combine(...combine(combine(x0, x1), x2)..., xN-1)
//
// Every rank combines for itself, in that same order. So the result has the same bits on
// all ranks, in both modes and on every network, if combine does the same everywhere and
// T is the same type. With one rank it is x. combine must not call anything of n.
//
// The rank must hold nothing. Errors are those of Barrier, and in Stats it counts as
// PartBarrier. After an error the result is 0.
func Reduce[T Word](n *Node, x T, combine func(a, b T) T) (T, error) {
	if err := n.usable("Reduce"); err != nil {
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

// wordOf is the bits of x, in the low bytes of a word whatever the byte order.
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

// numberOf is the number whose bits are the low bytes of w.
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
