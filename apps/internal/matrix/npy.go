package matrix

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/text"
	"github.com/fagus-dsm/fagus/fagus/npy"
)

// npyChunk is the number of elements decoded at a time.
const npyChunk = 4096

// decodeNPY reads a file of size bytes, or of unknown size if size is -1. It allocates at most
// twice as many bytes as it has read. A vector is a column, and one number is a 1 x 1 matrix.
func decodeNPY(r io.Reader, size int64, limit int) (Dense, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	counted := &counter{Reader: b}
	h, err := npy.Read(counted)
	if err != nil {
		return Dense{}, text.WithoutPath(err)
	}
	if len(h.Shape) > 2 {
		return Dense{}, fmt.Errorf("npy: shape %v: want at most two dimensions", h.Shape)
	}
	shape := append(h.Shape, 1, 1)
	m := Dense{Rows: shape[0], Cols: shape[1]}
	if err := checkShape(m.Rows, m.Cols, limit); err != nil {
		return Dense{}, fmt.Errorf("npy: %w", err)
	}
	value := npyElement(h.Type)
	if value == nil {
		return Dense{}, fmt.Errorf("npy: dtype %q: want float64, float32, an integer or bool", h.Type)
	}
	n := m.Rows * m.Cols
	m.Data = make([]float64, 0, min(n, firstAlloc))
	if size >= 0 {
		have := size - counted.read
		if want := int64(n) * int64(h.Type.Bytes); have != want {
			return Dense{}, fmt.Errorf("npy: %d x %d matrix of %v: %d bytes of elements: want %d", m.Rows, m.Cols, h.Type, have, want)
		}
		m.Data = make([]float64, 0, n)
	}
	chunk := make([]byte, npyChunk*h.Type.Bytes)
	for len(m.Data) < n {
		chunk = chunk[:h.Type.Bytes*min(npyChunk, n-len(m.Data))]
		if _, err := io.ReadFull(b, chunk); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return Dense{}, fmt.Errorf("npy: after element %d of %d: %w", len(m.Data), n, text.WithoutPath(err))
		}
		h.Type.ToNative(chunk)
		for at := 0; at < len(chunk); at += h.Type.Bytes {
			m.Data = append(m.Data, value(chunk[at:]))
		}
	}
	switch _, err := b.ReadByte(); {
	case err == nil:
		return Dense{}, fmt.Errorf("npy: more than the %d elements announced", n)
	case err != io.EOF:
		return Dense{}, fmt.Errorf("npy: %w", text.WithoutPath(err))
	}
	if h.Fortran {
		m.Data = transposed(m.Data, m.Rows, m.Cols)
	}
	return m, nil
}

// counter counts the bytes that are read.
type counter struct {
	io.Reader
	read int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += int64(n)
	return n, err
}

// npyElement returns the function that decodes an element in the byte order of this machine; nil
// for types that are not supported.
func npyElement(t npy.Type) func(b []byte) float64 {
	order := binary.NativeEndian
	return map[string]func(b []byte) float64{
		"f8": func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) },
		"f4": func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) },
		"i8": func(b []byte) float64 { return float64(int64(order.Uint64(b))) },
		"i4": func(b []byte) float64 { return float64(int32(order.Uint32(b))) },
		"i2": func(b []byte) float64 { return float64(int16(order.Uint16(b))) },
		"i1": func(b []byte) float64 { return float64(int8(b[0])) },
		"u8": func(b []byte) float64 { return float64(order.Uint64(b)) },
		"u4": func(b []byte) float64 { return float64(order.Uint32(b)) },
		"u2": func(b []byte) float64 { return float64(order.Uint16(b)) },
		"u1": func(b []byte) float64 { return float64(b[0]) },
		"b1": func(b []byte) float64 { return float64(min(b[0], 1)) },
	}[t.String()[1:]]
}

// transposed returns the elements of a rows x cols matrix row by row; data has them by column.
func transposed(data []float64, rows, cols int) []float64 {
	t := make([]float64, len(data))
	for i := range rows {
		for j := range cols {
			t[i*cols+j] = data[j*rows+i]
		}
	}
	return t
}

// encodeNPY writes float64 in C order. It ignores write errors: the caller's Flush returns them.
func encodeNPY(w *bufio.Writer, m Dense) error {
	w.Write(npy.Header{Type: npy.Type{Kind: 'f', Bytes: 8}, Shape: []int{m.Rows, m.Cols}}.Append(nil))
	for _, v := range m.Data {
		w.Write(binary.LittleEndian.AppendUint64(w.AvailableBuffer(), math.Float64bits(v)))
	}
	return nil
}
