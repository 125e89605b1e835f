package matrix

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"

	"github.com/sbinet/npyio/npy"
)

const (
	// maxNPYHeader bounds the dictionary; that of a matrix has about 70 bytes.
	maxNPYHeader = 1 << 16
	// npyChunk is how many elements are decoded at a time.
	npyChunk = 4096
	// npyAlign is what NumPy aligns the elements to, in bytes.
	npyAlign = 64
)

// DecodeNPY reads a matrix in NumPy's format up to the end of r.
func DecodeNPY(r io.Reader) (Dense, error) {
	m, err := decodeNPY(r, -1, MaxElements)
	if err != nil {
		return Dense{}, fmt.Errorf("matrix: %w", err)
	}
	return m, nil
}

// decodeNPY expects a file of size bytes, -1 if unknown.
//
// The library trusts a file: it slices the dictionary at places that it has not
// found, allocates what the header says and takes a short read or the end of
// the file for elements. So it gets the header only when that is complete,
// elements are asked for in chunks, from a reader that never reads less, and a
// panic is an error.
func decodeNPY(r io.Reader, size int64, limit int) (m Dense, err error) {
	defer func() {
		if p := recover(); p != nil {
			m, err = Dense{}, fmt.Errorf("npy: corrupt file: %v", p)
		}
	}()
	b := bufio.NewReaderSize(r, 1<<16)
	header, err := npyHeader(b)
	if err != nil {
		return Dense{}, err
	}
	file, err := npy.NewReader(io.MultiReader(bytes.NewReader(header), full{b}))
	if err != nil {
		return Dense{}, err
	}
	descr := file.Header.Descr
	if len(descr.Shape) != 2 {
		return Dense{}, fmt.Errorf("npy: shape %v: want two dimensions (reshape a vector to one row or one column)", descr.Shape)
	}
	m = Dense{Rows: descr.Shape[0], Cols: descr.Shape[1]}
	if err := checkShape(m.Rows, m.Cols, limit); err != nil {
		return Dense{}, fmt.Errorf("npy: %w", err)
	}
	dtype := npy.TypeFrom(descr.Type)
	read := npyElements(dtype)
	if read == nil {
		return Dense{}, fmt.Errorf("npy: dtype %.40q: want float64, float32 or an integer", descr.Type)
	}
	n := m.Rows * m.Cols
	m.Data = make([]float64, 0, min(n, firstAlloc))
	if size >= 0 {
		have := size - int64(len(header))
		if want := int64(n) * int64(dtype.Size()); have != want {
			return Dense{}, fmt.Errorf("npy: %d x %d matrix of %s: %d bytes of elements: want %d", m.Rows, m.Cols, dtype, have, want)
		}
		m.Data = make([]float64, 0, n)
	}
	if m.Data, err = read(file, m.Data, n); err != nil {
		return Dense{}, err
	}
	switch _, err := b.ReadByte(); {
	case err == nil:
		return Dense{}, fmt.Errorf("npy: more than the %d elements announced", n)
	case err != io.EOF:
		return Dense{}, fmt.Errorf("npy: %w", withoutPath(err))
	}
	if descr.Fortran {
		m.Data = transposed(m.Data, m.Rows, m.Cols)
	}
	return m, nil
}

// npyHeader reads all that comes before the elements.
func npyHeader(r io.Reader) ([]byte, error) {
	header := make([]byte, len(npy.Magic)+2, npyAlign)
	if n, err := io.ReadFull(r, header); err != nil {
		return nil, fmt.Errorf("npy: header ends after %d bytes: %w", n, withoutPath(err))
	}
	if !bytes.HasPrefix(header, npy.Magic[:]) {
		return nil, fmt.Errorf("npy: not a NumPy file: begins with %q", header[:len(npy.Magic)])
	}
	length := make([]byte, 2)
	switch version := header[len(npy.Magic)]; version {
	case 1:
	case 2:
		length = make([]byte, 4)
	default:
		return nil, fmt.Errorf("npy: version %d: want 1 or 2", version)
	}
	if _, err := io.ReadFull(r, length); err != nil {
		return nil, fmt.Errorf("npy: header ends before its length: %w", withoutPath(err))
	}
	header = append(header, length...)
	n := binary.LittleEndian.Uint32(append(length, 0, 0))
	if n > maxNPYHeader {
		return nil, fmt.Errorf("npy: header of %d bytes: want at most %d", n, maxNPYHeader)
	}
	rest := make([]byte, n)
	if got, err := io.ReadFull(r, rest); err != nil {
		return nil, fmt.Errorf("npy: header ends after %d of %d bytes: %w", got, n, withoutPath(err))
	}
	return append(header, rest...), nil
}

// full is a reader that gives as many bytes as asked for or fails, and not with
// io.EOF, which the library overlooks.
type full struct{ r io.Reader }

func (f full) Read(p []byte) (int, error) {
	n, err := io.ReadFull(f.r, p)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

type npyReadFunc func(r *npy.Reader, data []float64, n int) ([]float64, error)

// npyElements returns what reads elements of a type, nil if nothing does.
func npyElements(dtype reflect.Type) npyReadFunc {
	if dtype == nil {
		return nil
	}
	switch dtype.Kind() {
	case reflect.Float64:
		return readElements[float64]
	case reflect.Float32:
		return readElements[float32]
	case reflect.Int8:
		return readElements[int8]
	case reflect.Int16:
		return readElements[int16]
	case reflect.Int32:
		return readElements[int32]
	case reflect.Int64:
		return readElements[int64]
	case reflect.Uint8:
		return readElements[uint8]
	case reflect.Uint16:
		return readElements[uint16]
	case reflect.Uint32:
		return readElements[uint32]
	case reflect.Uint64:
		return readElements[uint64]
	}
	return nil
}

type npyElement interface {
	float64 | float32 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// readElements appends n elements to data.
func readElements[E npyElement](r *npy.Reader, data []float64, n int) ([]float64, error) {
	chunk := make([]E, npyChunk)
	for len(data) < n {
		chunk = chunk[:min(len(chunk), n-len(data))]
		if err := r.Read(&chunk); err != nil {
			return nil, fmt.Errorf("npy: after element %d of %d: %w", len(data), n, withoutPath(err))
		}
		for _, v := range chunk {
			data = append(data, float64(v))
		}
	}
	return data, nil
}

// transposed returns the rows x cols matrix that data holds column by column.
func transposed(data []float64, rows, cols int) []float64 {
	t := make([]float64, len(data))
	for i := range rows {
		for j := range cols {
			t[i*cols+j] = data[j*rows+i]
		}
	}
	return t
}

// EncodeNPY writes m in NumPy's format: version 1, float64, C order.
func EncodeNPY(w io.Writer, m Dense) error {
	err := m.check()
	if err == nil {
		err = encode(w, m, encodeNPY)
	}
	if err != nil {
		return fmt.Errorf("matrix: %w", err)
	}
	return nil
}

// encodeNPY does without the library, which cannot write a matrix without
// elements and does not align the header as NumPy asks. It leaves errors to the
// Flush that follows it.
func encodeNPY(w *bufio.Writer, m Dense) error {
	dict := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", m.Rows, m.Cols)
	before := len(npy.Magic) + 4 // magic, version, length
	padding := npyAlign - 1 - (before+len(dict))%npyAlign
	dict += strings.Repeat(" ", padding) + "\n"

	w.Write(npy.Magic[:])
	w.Write([]byte{1, 0})
	w.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(dict))))
	w.WriteString(dict)
	for _, v := range m.Data {
		w.Write(binary.LittleEndian.AppendUint64(w.AvailableBuffer(), math.Float64bits(v)))
	}
	return nil
}
