package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"strings"
)

const (
	magic = "\x93NUMPY"
	// mostHeader limits the dictionary, in bytes. For an array of numbers it has about 70.
	mostHeader = 1 << 16
	// align: NumPy puts the first element at a multiple of so many bytes.
	align = 64
)

// Header describes the elements that follow it in a file.
type Header struct {
	Type    Type
	Fortran bool  // the first index changes fastest; otherwise the last does
	Shape   []int // the dimensions, each 0 or more; none means one element
}

// Read reads a header, and not a byte more.
func Read(r io.Reader) (Header, error) {
	begin := make([]byte, len(magic)+2)
	if n, err := io.ReadFull(r, begin); err != nil {
		return Header{}, fmt.Errorf("npy: header ends after %d bytes: %w", n, err)
	}
	if !strings.HasPrefix(string(begin), magic) {
		return Header{}, fmt.Errorf("npy: not a NumPy file: begins with %q", begin[:len(magic)])
	}
	length := make([]byte, 4)
	switch version := begin[len(magic)]; version {
	case 1:
		length = length[:2]
	case 2, 3:
	default:
		return Header{}, fmt.Errorf("npy: version %d: want 1, 2 or 3", version)
	}
	if _, err := io.ReadFull(r, length); err != nil {
		return Header{}, fmt.Errorf("npy: header ends before its length: %w", err)
	}
	n := binary.LittleEndian.Uint32(append(length, 0, 0))
	if n > mostHeader {
		return Header{}, fmt.Errorf("npy: header of %d bytes: want at most %d", n, mostHeader)
	}
	dict := make([]byte, n)
	if got, err := io.ReadFull(r, dict); err != nil {
		return Header{}, fmt.Errorf("npy: header ends after %d of %d bytes: %w", got, n, err)
	}
	return parse(string(dict))
}

// Append appends the header to b as NumPy writes it, in version 1.
func (h Header) Append(b []byte) []byte {
	order := "False"
	if h.Fortran {
		order = "True"
	}
	shape := strings.Trim(strings.ReplaceAll(fmt.Sprint(h.Shape), " ", ", "), "[]")
	if len(h.Shape) == 1 {
		shape += ","
	}
	dict := fmt.Sprintf("{'descr': '%v', 'fortran_order': %s, 'shape': (%s), }", h.Type, order, shape)
	before := len(magic) + 4 // magic, version, length
	dict += strings.Repeat(" ", align-1-(before+len(dict))%align) + "\n"
	b = append(append(b, magic...), 1, 0)
	return append(binary.LittleEndian.AppendUint16(b, uint16(len(dict))), dict...)
}

// Count returns the number of elements. It returns an error if they are more than most.
func (h Header) Count(most int) (int, error) {
	n := uint64(1)
	for _, d := range h.Shape {
		if d == 0 {
			return 0, nil // whatever the other dimensions are
		}
	}
	for _, d := range h.Shape {
		over, product := bits.Mul64(n, uint64(d))
		if n = product; over > 0 || n > uint64(most) {
			return 0, fmt.Errorf("npy: shape %v: more than %d elements", h.Shape, most)
		}
	}
	return int(n), nil
}
