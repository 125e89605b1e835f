package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"
)

// encoder appends values to b. After an error it has no meaning.
type encoder struct {
	b     []byte
	depth int
	err   error
}

// decoder takes values from b. After an error nothing more is read.
type decoder struct {
	b     []byte
	depth int
	err   error
}

const mostDepth = 10000

var errDeep = errors.New("it is nested more than 10000 deep: does it contain itself? Use indexes in place of pointers")

func (e *encoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err, d.b = err, nil
	}
}

// enter begins a value that can contain values of its own type. It reports whether to go on.
func (e *encoder) enter() bool {
	if e.depth++; e.depth > mostDepth {
		e.fail(errDeep)
	}
	return e.err == nil
}

func (e *encoder) leave() { e.depth-- }

func (d *decoder) enter() bool {
	if d.depth++; d.depth > mostDepth {
		d.fail(errDeep)
	}
	return d.err == nil
}

func (d *decoder) leave() { d.depth-- }

// number appends a number that is not negative.
func (e *encoder) number(x int) { e.b = binary.AppendUvarint(e.b, uint64(x)) }

// number takes a number, at most most.
func (d *decoder) number(most int) int {
	x, size := binary.Uvarint(d.b)
	if size <= 0 || x > uint64(most) {
		d.fail(fmt.Errorf("a length of %d, with %d bytes left: want at most %d", x, len(d.b), most))
		return 0
	}
	d.b = d.b[size:]
	return int(x)
}

// counted appends what f appends, after its length.
func (e *encoder) counted(f func(b []byte) ([]byte, error)) {
	begin := len(e.b)
	b, err := f(append(e.b, 0))
	switch {
	case err != nil:
		e.fail(err)
		return
	case len(b) <= begin:
		e.fail(fmt.Errorf("its method has returned %d bytes: want the %d that it was given, and more", len(b), begin+1))
		return
	}
	length := len(b) - begin - 1
	var word [binary.MaxVarintLen64]byte
	if size := binary.PutUvarint(word[:], uint64(length)); size > 1 {
		b = append(b, word[1:size]...)
		copy(b[begin+size:], b[begin+1:begin+1+length])
		copy(b[begin:], word[:size])
	} else {
		b[begin] = word[0]
	}
	e.b = b
}

// take returns the next bytes, or nil if there are fewer.
func (d *decoder) take(size int) []byte {
	if size > len(d.b) {
		d.fail(fmt.Errorf("%d bytes left: want %d", len(d.b), size))
		return nil
	}
	taken := d.b[:size:size]
	d.b = d.b[size:]
	return taken
}

// memory returns the bytes of a value.
func memory(p unsafe.Pointer, size int) []byte { return unsafe.Slice((*byte)(p), size) }
