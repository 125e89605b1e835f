package mpi

import (
	"fmt"
	"unsafe"
)

// Op is how two numbers are combined.
type Op uint8

// The operations.
const (
	Sum Op = 1 + iota
	Product
	Min
	Max
	Replace // by the second one
)

// String is the name of the operation.
func (o Op) String() string {
	if !o.known() {
		return fmt.Sprintf("operation %d", uint8(o))
	}
	return [...]string{"sum", "product", "min", "max", "replace"}[o-1]
}

func (o Op) known() bool { return o >= Sum && o <= Replace }

// combine makes into[i] that op from[i]. op is known.
func combine[T Number](op Op, into, from []T) {
	switch op {
	case Sum:
		for i, v := range from {
			into[i] += v
		}
	case Product:
		for i, v := range from {
			into[i] *= v
		}
	case Min:
		for i, v := range from {
			into[i] = min(into[i], v)
		}
	case Max:
		for i, v := range from {
			into[i] = max(into[i], v)
		}
	case Replace:
		copy(into, from)
	}
}

// element is the type of numbers on the wire.
type element uint8

const (
	signed32 element = 1 + iota
	signed64
	unsigned32
	unsigned64
	floating32
	floating64
)

// elementOf is what a T is.
func elementOf[T Number]() element {
	var zero T
	half := T(1) / 2
	wide := unsafe.Sizeof(zero) == 8
	switch {
	case half != 0 && wide:
		return floating64
	case half != 0:
		return floating32
	case zero-1 < zero && wide:
		return signed64
	case zero-1 < zero:
		return signed32
	case wide:
		return unsigned64
	}
	return unsigned32
}

// size is how many bytes an element has; 0: there is no such element.
func (k element) size() int {
	switch k {
	case signed32, unsigned32, floating32:
		return 4
	case signed64, unsigned64, floating64:
		return 8
	}
	return 0
}

// numbers copies bytes of the wire to numbers, which are aligned.
func numbers[T Number](p []byte) []T {
	var one T
	list := make([]T, len(p)/int(unsafe.Sizeof(one)))
	copy(Raw(list), p)
	return list
}

// accumulate combines the numbers in into, one after the other and perhaps not aligned, with
// those in from.
func accumulate(op Op, k element, into, from []byte) {
	switch k {
	case signed32:
		accumulateAs[int32](op, into, from)
	case signed64:
		accumulateAs[int64](op, into, from)
	case unsigned32:
		accumulateAs[uint32](op, into, from)
	case unsigned64:
		accumulateAs[uint64](op, into, from)
	case floating32:
		accumulateAs[float32](op, into, from)
	case floating64:
		accumulateAs[float64](op, into, from)
	}
}

func accumulateAs[T Number](op Op, into, from []byte) {
	list := numbers[T](into)
	combine(op, list, numbers[T](from))
	copy(into, Raw(list))
}
