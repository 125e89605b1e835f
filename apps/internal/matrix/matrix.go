package matrix

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/fagus-dsm/fagus/apps/internal/text"
	"github.com/fagus-dsm/fagus/fagus/program/outfile"
)

// MaxElements limits the rows, the columns, and their product: 2 GiB of float64.
const MaxElements = 1 << 28

// Dense is a matrix of Rows x Cols elements, row-major: element (i, j), counted from 0, is
// Data[i*Cols+j]. Either size may be 0.
type Dense struct {
	Rows, Cols int
	Data       []float64
}

// Read reads the matrix in the file at path, which ends in .mtx or .npy. Errors name the path.
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
	file, err := text.Open(path)
	if err != nil {
		return Dense{}, err
	}
	defer file.Close() // read-only: an error loses nothing
	m, err := f.decode(file, file.Size, MaxElements)
	return m, text.WithoutPath(err)
}

// Write writes m to a file at path, which ends in .mtx or .npy. The file appears, or replaces an
// existing one, only when it is complete and on disk; an error leaves the old file unchanged.
// Errors name the path.
func Write(path string, m Dense) error {
	if err := write(path, m); err != nil {
		return fmt.Errorf("matrix: write %s: %w", path, err)
	}
	return nil
}

func write(path string, m Dense) error {
	f, err := formatOf(path)
	if err == nil && strings.EqualFold(filepath.Ext(path), ".gz") {
		err = errors.New("extension .gz: files are written uncompressed")
	}
	if err != nil {
		return err
	}
	if err := m.check(); err != nil {
		return err
	}
	return text.WithoutPath(outfile.Replace(path, func(w io.Writer) error { return encode(w, m, f.encode) }))
}

func (m Dense) check() error {
	if err := checkShape(m.Rows, m.Cols, MaxElements); err != nil {
		return err
	}
	if len(m.Data) != m.Rows*m.Cols {
		return fmt.Errorf("%d x %d matrix with %d elements: want %d", m.Rows, m.Cols, len(m.Data), m.Rows*m.Cols)
	}
	return nil
}

// checkShape returns an error if rows*cols exceeds limit. It computes without overflow.
func checkShape(rows, cols, limit int) error {
	if rows < 0 || cols < 0 {
		return fmt.Errorf("%d x %d matrix: negative size", rows, cols)
	}
	if rows > limit || cols > limit || (cols > 0 && rows > limit/cols) {
		return fmt.Errorf("%d x %d matrix: more than %d elements", rows, cols, limit)
	}
	return nil
}

// CheckName returns an error if path ends in neither .mtx nor .npy.
func CheckName(path string) error {
	if _, err := formatOf(path); err != nil {
		return fmt.Errorf("matrix: %s: %w", path, err)
	}
	return nil
}

// format is a file format. The errors of its functions do not name the package.
type format struct {
	// decode reads a matrix from r, which has size bytes, or -1 for unknown.
	decode func(r io.Reader, size int64, limit int) (Dense, error)
	encode func(w *bufio.Writer, m Dense) error
}

func formatOf(path string) (format, error) {
	switch ext := text.Ext(path); ext {
	case ".mtx":
		return format{decodeMTX, encodeMTX}, nil
	case ".npy":
		return format{decodeNPY, encodeNPY}, nil
	default:
		return format{}, fmt.Errorf("extension %q: want .mtx (Matrix Market) or .npy (NumPy)", ext)
	}
}

// encode calls f with a buffered writer. The writer remembers its first error, which Flush
// returns, so an encoder need not check each write.
func encode(w io.Writer, m Dense, f func(*bufio.Writer, Dense) error) error {
	b := bufio.NewWriterSize(w, 1<<16)
	if err := f(b, m); err != nil {
		return err
	}
	return b.Flush()
}
