package collective

import "math"

// A Number is a type that Reduce combines.
type Number interface{ Integer | float32 | float64 }

// An Integer is a Number with bitwise operations.
type Integer interface {
	uint32 | int32 | uint64 | int64
}

// Reduce combines the values of all ranks by op, in the order that the package comment
// documents. The result has the same bits at every rank. op may be a function of this package or
// the caller's own. It must depend only on its arguments and be the same at all ranks. If Reduce
// returns an error, the result is 0.
func Reduce[T Number](g *Group, v T, op func(a, b T) T) (T, error) {
	result, err := g.reduction.run(formatOf[T](), bitsOf(v), func(a, b uint64) uint64 {
		return bitsOf(op(valueOf[T](a), valueOf[T](b)))
	})
	if err != nil {
		return 0, err
	}
	return valueOf[T](result), nil
}

func formatOf[T Number]() format {
	var v T
	switch any(v).(type) {
	case uint32, int32, float32:
		return flagged
	case uint64, int64:
		return halved
	default:
		return bare
	}
}

// bitsOf returns the bits of v. It replaces the one NaN that cannot be sent.
func bitsOf[T Number](v T) uint64 {
	switch v := any(v).(type) {
	case uint32:
		return uint64(v)
	case int32:
		return uint64(uint32(v))
	case uint64:
		return v
	case int64:
		return uint64(v)
	case float32:
		return uint64(math.Float32bits(v))
	default:
		bits := math.Float64bits(v.(float64))
		if bits == emptyNaN {
			return plainNaN
		}
		return bits
	}
}

func valueOf[T Number](bits uint64) (v T) {
	switch v := any(&v).(type) {
	case *uint32:
		*v = uint32(bits)
	case *int32:
		*v = int32(bits)
	case *uint64:
		*v = bits
	case *int64:
		*v = int64(bits)
	case *float32:
		*v = math.Float32frombits(uint32(bits))
	case *float64:
		*v = math.Float64frombits(bits)
	}
	return v
}
