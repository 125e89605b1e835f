package mpi

import (
	"fmt"
	"slices"
	"unsafe"
)

// Number is an element of the slices that are combined.
type Number interface {
	~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Raw is the memory of p as bytes, for every call that takes bytes. It is p's own: what is
// received there is in p.
func Raw[T Number | ~uint8 | ~int8 | ~uint16 | ~int16 | ~complex64 | ~complex128](p []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(p))), len(p)*int(unsafe.Sizeof(one)))
}

// Block is a part of a Type, in bytes.
type Block struct{ Offset, Length int }

// Type says which bytes of a buffer a message has, and in which order. The zero Type has none.
//
//	column := mpi.Vector(rows, 1, columns, mpi.Bytes(8))     // of a matrix of float64
//	err := c.SendType(mpi.Raw(matrix[k:]), column, dst, tag)
type Type struct {
	blocks []Block
	size   int
	extent int
}

// Bytes is n bytes, one after the other.
func Bytes(n int) Type {
	if n <= 0 {
		return Type{}
	}
	return Type{blocks: []Block{{0, n}}, size: n, extent: n}
}

// Contiguous is count times of, each behind the last one's extent.
func Contiguous(count int, of Type) Type { return Vector(count, 1, 1, of) }

// Vector is count times length of, from one start to the next stride of's extents.
func Vector(count, length, stride int, of Type) Type {
	lengths, starts := make([]int, max(count, 0)), make([]int, max(count, 0))
	for i := range lengths {
		lengths[i], starts[i] = length, i*stride
	}
	return Indexed(lengths, starts, of)
}

// Indexed is lengths[i] times of from starts[i] on, in of's extents, for every i. The extent goes
// from 0 to the last byte. lengths and starts must have the same length, and no part may start
// below 0: it panics otherwise.
func Indexed(lengths, starts []int, of Type) Type {
	if len(lengths) != len(starts) {
		panic(fmt.Sprintf("mpi: %d lengths, %d starts", len(lengths), len(starts)))
	}
	var t Type
	for i, length := range lengths {
		for k := range max(length, 0) {
			at := (starts[i] + k) * of.extent
			for _, b := range of.blocks {
				t.add(Block{at + b.Offset, b.Length})
			}
			t.extent = max(t.extent, at+of.extent)
		}
	}
	return t
}

// add appends b, to the last block if it follows that.
func (t *Type) add(b Block) {
	if b.Offset < 0 {
		panic(fmt.Sprintf("mpi: a type with a block at %d", b.Offset))
	}
	t.size += b.Length
	if n := len(t.blocks); n > 0 && t.blocks[n-1].Offset+t.blocks[n-1].Length == b.Offset {
		t.blocks[n-1].Length += b.Length
		return
	}
	t.blocks = append(t.blocks, b)
}

// Resized is t with another extent, so that what follows it may overlap its end or leave a gap.
func (t Type) Resized(extent int) Type {
	t.extent = max(extent, 0)
	return t
}

// Size is how many bytes a message of this type has.
func (t Type) Size() int { return t.size }

// Extent is how many bytes from one of this type to the next one.
func (t Type) Extent() int { return t.extent }

// Blocks lists the parts.
func (t Type) Blocks() []Block { return slices.Clone(t.blocks) }

// check says whether a buffer of n bytes has all of t.
func (t Type) check(n int) error {
	for _, b := range t.blocks {
		if b.Offset+b.Length > n {
			return fmt.Errorf("mpi: a type with bytes %d to %d, in a buffer of %d", b.Offset, b.Offset+b.Length, n)
		}
	}
	return nil
}

// Pack copies what t says of p to a message.
func (t Type) Pack(p []byte) ([]byte, error) {
	if err := t.check(len(p)); err != nil {
		return nil, err
	}
	message := make([]byte, 0, t.size)
	for _, b := range t.blocks {
		message = append(message, p[b.Offset:][:b.Length]...)
	}
	return message, nil
}

// Unpack copies a message, which may be shorter, to where t says in p.
func (t Type) Unpack(message, p []byte) error {
	if err := t.check(len(p)); err != nil {
		return err
	}
	if len(message) > t.size {
		return fmt.Errorf("mpi: a message of %d bytes for a type of %d", len(message), t.size)
	}
	for _, b := range t.blocks {
		n := copy(p[b.Offset:][:b.Length], message)
		message = message[n:]
	}
	return nil
}

// SendType is Send of what t says of p.
func (c *Comm) SendType(p []byte, t Type, dst, tag int) error {
	r, err := c.IsendType(p, t, dst, tag)
	if err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

// RecvType is Recv to where t says in p. A shorter message fills the first parts.
func (c *Comm) RecvType(p []byte, t Type, src, tag int) (Status, error) {
	r, err := c.IrecvType(p, t, src, tag)
	if err != nil {
		return Status{}, err
	}
	return r.Wait()
}

// IsendType starts a SendType. The bytes are taken at once if they lie in more than one place.
func (c *Comm) IsendType(p []byte, t Type, dst, tag int) (*Request, error) {
	if err := t.check(len(p)); err != nil {
		return nil, err
	}
	if len(t.blocks) == 1 {
		return c.Isend(p[t.blocks[0].Offset:][:t.size], dst, tag)
	}
	message, err := t.Pack(p)
	if err != nil {
		return nil, err
	}
	return c.Isend(message, dst, tag)
}

// IrecvType starts a RecvType.
func (c *Comm) IrecvType(p []byte, t Type, src, tag int) (*Request, error) {
	if err := t.check(len(p)); err != nil {
		return nil, err
	}
	if len(t.blocks) == 1 {
		return c.Irecv(p[t.blocks[0].Offset:][:t.size], src, tag)
	}
	if err := c.checkFrom(src, tag); err != nil {
		return nil, err
	}
	message := make([]byte, t.size)
	return c.irecv(c.context, message, src, tag, func(n int) {
		_ = t.Unpack(message[:n], p) // which has been checked
	})
}
