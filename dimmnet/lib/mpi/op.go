package mpi

import (
	"fmt"
	"unsafe"
)

// Op is an operation that combines two numbers.
type Op uint8

// The operations.
const (
	Sum Op = 1 + iota
	Product
	Min
	Max
	Replace // takes the second number
)

// String returns the name of the operation.
func (o Op) String() string {
	if !o.known() {
		return fmt.Sprintf("operation %d", uint8(o))
	}
	return [...]string{"sum", "product", "min", "max", "replace"}[o-1]
}

func (o Op) known() bool { return o >= Sum && o <= Replace }

// combine sets into[i] to op(into[i], from[i]). op must be known.
func combine[T Number](op Op, into, from []T) {
	for i, v := range from {
		switch op {
		case Sum:
			into[i] += v
		case Product:
			into[i] *= v
		case Min:
			into[i] = min(into[i], v)
		case Max:
			into[i] = max(into[i], v)
		case Replace:
			into[i] = v
		}
	}
}

type element uint8

const (
	signed32 element = 1 + iota
	signed64
	unsigned32
	unsigned64
	floating32
	floating64
)

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

// arithmetic holds the size of an element, and the function that combines such elements.
type arithmetic struct {
	size       int // 0 if there is no such element
	accumulate func(op Op, into, from []byte)
}

func (k element) arithmetic() arithmetic {
	if k > floating64 {
		return arithmetic{}
	}
	return [...]arithmetic{
		signed32:   {4, accumulateAs[int32]},
		signed64:   {8, accumulateAs[int64]},
		unsigned32: {4, accumulateAs[uint32]},
		unsigned64: {8, accumulateAs[uint64]},
		floating32: {4, accumulateAs[float32]},
		floating64: {8, accumulateAs[float64]},
	}[k]
}

// numbers copies bytes from the wire into an aligned slice.
func numbers[T Number](p []byte) []T {
	var one T
	list := make([]T, len(p)/int(unsafe.Sizeof(one)))
	copy(Raw(list), p)
	return list
}

// accumulateAs combines the numbers in into, which need not be aligned, with those in from.
func accumulateAs[T Number](op Op, into, from []byte) {
	list := numbers[T](into)
	combine(op, list, numbers[T](from))
	copy(into, Raw(list))
}
