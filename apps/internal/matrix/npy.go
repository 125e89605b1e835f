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
	// maxNPYHeader limits the dictionary in bytes. The dictionary of a matrix has about 70 bytes.
	maxNPYHeader = 1 << 16
	// npyChunk is the number of elements decoded at a time.
	npyChunk = 4096
	// npyAlign is the alignment of the first element in files of NumPy, in bytes.
	npyAlign = 64
)

// decodeNPY reads a file of size bytes, or of unknown size if size is -1.
//
// The library npyio trusts files: it panics on a malformed dictionary, allocates as much memory as
// the header announces, and takes a short read for elements. So decodeNPY passes only a complete
// header to npyio, reads elements in chunks from a reader that never returns less than requested,
// and converts panics to errors.
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

// full reads all requested bytes, or returns an error other than io.EOF, which npyio ignores.
type full struct{ r io.Reader }

func (f full) Read(p []byte) (int, error) {
	n, err := io.ReadFull(f.r, p)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

type npyReadFunc func(r *npy.Reader, data []float64, n int) ([]float64, error)

// npyElements returns the function that reads elements of a type; nil for unsupported types.
func npyElements(dtype reflect.Type) npyReadFunc {
	if dtype == nil {
		return nil
	}
	return map[reflect.Kind]npyReadFunc{
		reflect.Float64: readElements[float64], reflect.Float32: readElements[float32],
		reflect.Int8: readElements[int8], reflect.Uint8: readElements[uint8],
		reflect.Int16: readElements[int16], reflect.Uint16: readElements[uint16],
		reflect.Int32: readElements[int32], reflect.Uint32: readElements[uint32],
		reflect.Int64: readElements[int64], reflect.Uint64: readElements[uint64],
	}[dtype.Kind()]
}

type npyElement interface {
	float64 | float32 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

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

// encodeNPY writes version 1, float64, C order. It does not use the library npyio, because npyio
// cannot write a matrix without elements, and does not align the header as NumPy requires.
// encodeNPY ignores write errors: the caller's Flush returns them.
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
