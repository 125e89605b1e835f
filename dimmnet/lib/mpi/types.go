package mpi

import (
	"fmt"
	"slices"
	"unsafe"
)

// Number is an element type of Reduce and Accumulate.
type Number interface {
	~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Raw returns the memory of p as bytes, for the functions that take bytes. It does not copy: bytes
// received there appear in p.
func Raw[T Number | ~uint8 | ~int8 | ~uint16 | ~int16 | ~complex64 | ~complex128](p []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(p))), len(p)*int(unsafe.Sizeof(one)))
}

// Block is a contiguous part of a Type, in bytes.
type Block struct{ Offset, Length int }

// Type selects the bytes of a buffer that belong to a message, and their order. The zero Type
// selects none.
//
//	column := mpi.Vector(rows, 1, columns, mpi.Bytes(8))     // of a matrix of float64
//	err := c.SendType(mpi.Raw(matrix[k:]), column, dst, tag)
type Type struct {
	blocks []Block
	size   int
	extent int
}

// Bytes returns a Type of n contiguous bytes.
func Bytes(n int) Type {
	if n <= 0 {
		return Type{}
	}
	return Type{blocks: []Block{{0, n}}, size: n, extent: n}
}

// Contiguous returns count copies of a type, each one extent after the previous one.
func Contiguous(count int, of Type) Type { return Vector(count, 1, 1, of) }

// Vector returns count groups of length copies of a type. Groups start stride extents apart.
func Vector(count, length, stride int, of Type) Type {
	lengths, starts := make([]int, max(count, 0)), make([]int, max(count, 0))
	for i := range lengths {
		lengths[i], starts[i] = length, i*stride
	}
	return Indexed(lengths, starts, of)
}

// Indexed returns, for every i, lengths[i] copies of a type, from starts[i] extents on. Its extent
// ends at its last byte. It panics if the lists differ in length or a start is negative.
func Indexed(lengths, starts []int, of Type) Type {
	if len(lengths) != len(starts) {
		panic(fmt.Sprintf("mpi: Indexed with %d lengths and %d starts: want as many of each", len(lengths), len(starts)))
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

// add appends b. It extends the last block if b follows it directly.
func (t *Type) add(b Block) {
	if b.Offset < 0 {
		panic(fmt.Sprintf("mpi: a type has a block at offset %d: want at least 0", b.Offset))
	}
	t.size += b.Length
	if n := len(t.blocks); n > 0 && t.blocks[n-1].Offset+t.blocks[n-1].Length == b.Offset {
		t.blocks[n-1].Length += b.Length
		return
	}
	t.blocks = append(t.blocks, b)
}

// Resized returns t with another extent, so that the next copy overlaps its end or leaves a gap.
func (t Type) Resized(extent int) Type {
	t.extent = max(extent, 0)
	return t
}

// Size returns the number of bytes in a message of the type.
func (t Type) Size() int { return t.size }

// Extent returns the distance in bytes from one copy of the type to the next.
func (t Type) Extent() int { return t.extent }

// Blocks returns the parts of the type.
func (t Type) Blocks() []Block { return slices.Clone(t.blocks) }

func (t Type) check(n int) error {
	for _, b := range t.blocks {
		if b.Offset+b.Length > n {
			return fmt.Errorf("mpi: the type's bytes %d to %d are outside the buffer of %d bytes", b.Offset, b.Offset+b.Length, n)
		}
	}
	return nil
}

// Pack copies the bytes that t selects from p into a new message.
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

// Unpack copies a message into the bytes of p that t selects. The message may be shorter than t.
func (t Type) Unpack(message, p []byte) error {
	if err := t.check(len(p)); err != nil {
		return err
	}
	if len(message) > t.size {
		return fmt.Errorf("mpi: unpack a message of %d bytes: the type has %d", len(message), t.size)
	}
	for _, b := range t.blocks {
		n := copy(p[b.Offset:][:b.Length], message)
		message = message[n:]
	}
	return nil
}

// SendType sends the bytes of p that t selects.
func (c *Comm) SendType(p []byte, t Type, dst, tag int) error {
	r, err := c.IsendType(p, t, dst, tag)
	if err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

// RecvType receives into the bytes of p that t selects. A shorter message fills the first of them.
func (c *Comm) RecvType(p []byte, t Type, src, tag int) (Status, error) {
	r, err := c.IrecvType(p, t, src, tag)
	if err != nil {
		return Status{}, err
	}
	return r.Wait()
}

// IsendType starts a SendType. It copies the bytes at once if they are not contiguous.
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
		_ = t.Unpack(message[:n], p) // t was checked
	})
}
