package matrix

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// MaxElements bounds rows times columns, and each of the two: 2 GiB of float64.
const MaxElements = 1 << 28

// Dense is a matrix of Rows x Cols elements, row-major: element (i, j), counted
// from 0, is Data[i*Cols+j]. Either size may be 0.
type Dense struct {
	Rows, Cols int
	Data       []float64
}

// Read reads the matrix in the file at path, which ends in .mtx or .npy.
// Errors name the path.
func Read(path string) (Dense, error) {
	m, err := read(path)
	if err != nil {
		return Dense{}, fmt.Errorf("matrix: read %s: %w", path, err)
	}
	return m, nil
}

func read(path string) (Dense, error) {
	f, err := formatOf(path)
	if err != nil {
		return Dense{}, err
	}
	file, err := os.Open(path)
	if err != nil {
		return Dense{}, withoutPath(err)
	}
	defer file.Close() // only read: nothing is lost if this fails
	info, err := file.Stat()
	if err != nil {
		return Dense{}, withoutPath(err)
	}
	size := int64(-1)
	if info.Mode().IsRegular() {
		size = info.Size()
	}
	m, err := f.decode(file, size, MaxElements)
	return m, withoutPath(err)
}

// Write writes m to a file at path, which ends in .mtx or .npy. The file
// appears, or replaces the one that was there, only once it is complete and on
// disk; an error leaves the old one as it was. Errors name the path.
func Write(path string, m Dense) error {
	if err := write(path, m); err != nil {
		return fmt.Errorf("matrix: write %s: %w", path, err)
	}
	return nil
}

func write(path string, m Dense) error {
	f, err := formatOf(path)
	if err != nil {
		return err
	}
	if err := m.check(); err != nil {
		return err
	}
	return withoutPath(Replace(path, func(w io.Writer) error { return encode(w, m, f.encode) }))
}

// check says why m cannot be written, if it cannot.
func (m Dense) check() error {
	if err := checkShape(m.Rows, m.Cols, MaxElements); err != nil {
		return err
	}
	if len(m.Data) != m.Rows*m.Cols {
		return fmt.Errorf("%d x %d matrix: %d elements", m.Rows, m.Cols, len(m.Data))
	}
	return nil
}

// checkShape makes sure that rows*cols is at most limit, without computing a
// product that overflows.
func checkShape(rows, cols, limit int) error {
	if rows < 0 || cols < 0 {
		return fmt.Errorf("%d x %d matrix: negative size", rows, cols)
	}
	if rows > limit || cols > limit || (cols > 0 && rows > limit/cols) {
		return fmt.Errorf("%d x %d matrix: more than %d elements", rows, cols, limit)
	}
	return nil
}

// CheckName reports a path that ends in neither .mtx nor .npy.
func CheckName(path string) error {
	if _, err := formatOf(path); err != nil {
		return fmt.Errorf("matrix: %s: %w", path, err)
	}
	return nil
}

// format is one way to put a matrix into a file. Its functions do not name the
// package in errors.
type format struct {
	decode func(r io.Reader, size int64, limit int) (Dense, error) // size: bytes in r, -1 if unknown
	encode func(w *bufio.Writer, m Dense) error
}

func formatOf(path string) (format, error) {
	switch ext := filepath.Ext(path); strings.ToLower(ext) {
	case ".mtx":
		return format{decodeMTX, encodeMTX}, nil
	case ".npy":
		return format{decodeNPY, encodeNPY}, nil
	default:
		return format{}, fmt.Errorf("extension %q: want .mtx (Matrix Market) or .npy (NumPy)", ext)
	}
}

// encode buffers what f writes. The writer remembers its first error, and Flush
// returns it: so an encoder need not look at each one.
func encode(w io.Writer, m Dense, f func(*bufio.Writer, Dense) error) error {
	b := bufio.NewWriterSize(w, 1<<16)
	if err := f(b, m); err != nil {
		return err
	}
	return b.Flush()
}
