package tracefile

import (
	"encoding/binary"
	"fmt"
)

// fieldNumber is the number of a field of a message.
type fieldNumber uint64

const lastNumber fieldNumber = 1<<29 - 1

// The kinds of fields, which say how long a value is: the wire format of protocol buffers
// (protobuf.dev/programming-guides/encoding), without groups, which Perfetto does not use.
const (
	varintKind  = 0
	fixed64Kind = 1
	bytesKind   = 2
	fixed32Kind = 5
)

// tagOf returns what is in front of the value of a field.
func tagOf(field fieldNumber, kind uint64) uint64 { return uint64(field)<<3 | kind }

// value is the value of a field: a number, or bytes.
type value struct {
	number uint64
	bytes  []byte
}

// fields calls f for each field of a message.
func fields(data []byte, f func(fieldNumber, value) error) error {
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		field, kind := fieldNumber(tag>>3), tag&7
		if n <= 0 || field == 0 || field > lastNumber {
			return fmt.Errorf("%w: a field of number %d", ErrForeign, field)
		}
		data = data[n:]
		v, n := valueOf(kind, data)
		switch {
		case n < 0:
			return fmt.Errorf("%w: field %d is of kind %d", ErrForeign, field, kind)
		case n == 0:
			return errCut
		}
		data = data[n:]
		if err := f(field, v); err != nil {
			return err
		}
	}
	return nil
}

// valueOf returns the value at the begin of data and its length in bytes: 0 if data end before it,
// and -1 if there is no such kind.
func valueOf(kind uint64, data []byte) (v value, n int) {
	switch kind {
	case varintKind:
		v.number, n = binary.Uvarint(data)
		return v, max(n, 0)
	case fixed64Kind:
		if n = 8; len(data) >= n {
			v.number = binary.LittleEndian.Uint64(data)
		}
	case bytesKind:
		size, head := binary.Uvarint(data)
		if head <= 0 || size > uint64(len(data)-head) {
			return v, 0
		}
		n = head + int(size)
		v.bytes = data[head:n]
	case fixed32Kind:
		n = 4
	default:
		return v, -1
	}
	if n > len(data) {
		return v, 0
	}
	return v, n
}
