package codec

import "unsafe"

// Codec encodes and decodes values of type T. Of makes one. Several goroutines may use it at the
// same time.
type Codec[T any] struct{ plan *plan }

// Of returns the codec of a type, or an error that names the part of T that cannot be encoded. It
// takes microseconds: keep the codec.
func Of[T any]() (Codec[T], error) { return of[T](false) }

// Key returns a codec for keys: equal keys have equal bytes, on all ranks. It encodes 0 and -0
// alike, so Decode may return the other one. It returns an error if T contains pointers or
// interfaces, except in types with methods of their own (see [Codec.Exact]).
func Key[T comparable]() (Codec[T], error) { return of[T](true) }

func of[T any](key bool) (Codec[T], error) {
	p, err := planOf((*T)(nil), key)
	return Codec[T]{p}, err
}

// Flat reports whether fagus.NewArray accepts elements of type T: numbers, booleans, and arrays
// and structs of them, which need no codec.
func (c Codec[T]) Flat() bool { return c.plan.flat }

// Size returns how many bytes an encoded value has, or 0 if values differ in that.
func (c Codec[T]) Size() int {
	if c.plan.flat {
		return c.plan.least
	}
	return 0
}

// Exact reports whether Decode is certain to return what Append got. It is false if T contains
// types with methods of their own, or interfaces: a decoded time.Time may differ by ==.
func (c Codec[T]) Exact() bool { return !c.plan.custom }

// Append appends the encoded v to b. If it fails, it returns b as it was.
func (c Codec[T]) Append(b []byte, v T) ([]byte, error) {
	if c.plan.copied {
		return append(b, unsafe.Slice((*byte)(unsafe.Pointer(&v)), c.plan.size)...), nil
	}
	moved := new(T) // not v itself, which would then always escape to the heap
	*moved = v
	return c.plan.encode(b, unsafe.Pointer(moved))
}

// Decode decodes the value at the beginning of b. It returns the value, which does not share memory
// with b, and the rest of b. If b is damaged, it returns an error, and b as rest.
func (c Codec[T]) Decode(b []byte) (v T, rest []byte, err error) {
	if c.plan.copied && len(b) >= c.plan.size {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), c.plan.size), b)
		return v, b[c.plan.size:], nil
	}
	moved := new(T)
	if rest, err = c.plan.decodeTo(unsafe.Pointer(moved), b); err != nil {
		return v, b, err
	}
	return *moved, rest, nil
}

// DecodeAll is Decode of bytes that contain one value and nothing else.
func (c Codec[T]) DecodeAll(b []byte) (v T, err error) {
	v, rest, err := c.Decode(b)
	if err == nil && len(rest) > 0 {
		err = c.plan.after(rest)
	}
	return v, err
}
