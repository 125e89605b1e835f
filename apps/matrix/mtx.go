package matrix

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxLine is the longest line read, in bytes. The format allows 1024.
const maxLine = 1 << 16

// mtxHeader is the first line of a file, what is not refused at once.
type mtxHeader struct {
	array    bool // every element, column by column; otherwise the nonzero ones with their indices
	field    string
	symmetry string
}

// DecodeMatrixMarket reads a matrix in Matrix Market format up to the end of r.
// Entries of a coordinate file for the same place are added up. Errors name the
// line.
func DecodeMatrixMarket(r io.Reader) (Dense, error) {
	m, err := decodeMTX(r, -1, MaxElements)
	if err != nil {
		return Dense{}, fmt.Errorf("matrix: %w", err)
	}
	return m, nil
}

// decodeMTX needs no size: nothing is allocated for entries before they come.
func decodeMTX(r io.Reader, _ int64, limit int) (Dense, error) {
	l := newMTXLines(r)
	h, err := l.header()
	if err != nil {
		return Dense{}, err
	}
	m, entries, err := l.size(h, func(rows, cols int) error { return checkShape(rows, cols, limit) })
	if err != nil {
		return Dense{}, err
	}
	if h.array {
		err = l.array(h, &m, entries)
	} else {
		m.Data = make([]float64, m.Rows*m.Cols)
		err = l.coordinate(h, m.Rows, m.Cols, entries, func(i, j int, v float64) { add(&m.Data[i*m.Cols+j], v) })
	}
	if err != nil {
		return Dense{}, err
	}
	return m, l.end(entries)
}

// end makes sure that nothing follows the last of so many entries.
func (l *mtxLines) end(entries int) error {
	switch _, err := l.next(); {
	case err == nil:
		return l.errorf("more than the %d entries announced", entries)
	case err != io.EOF:
		return err
	}
	return nil
}

// mtxLines cuts a file into lines and those into fields.
type mtxLines struct {
	scan   *bufio.Scanner
	line   int // number of the line read last, from 1
	fields []string
}

func newMTXLines(r io.Reader) *mtxLines {
	l := &mtxLines{scan: bufio.NewScanner(r)}
	l.scan.Buffer(make([]byte, 4096), maxLine)
	return l
}

func (l *mtxLines) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %w", max(1, l.line), fmt.Errorf(format, args...))
}

// text returns the next line, or io.EOF.
func (l *mtxLines) text() (string, error) {
	scanned := l.scan.Scan()
	err := l.scan.Err() // the reader's: what was scanned may be half a line
	if scanned || err != nil {
		l.line++
	}
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return "", l.errorf("longer than %d bytes", maxLine)
	case err != nil:
		return "", l.errorf("%w", withoutPath(err))
	case !scanned:
		return "", io.EOF
	}
	return l.scan.Text(), nil
}

// next returns the fields of the next line that is neither blank nor a comment,
// or io.EOF. They are good until the next call.
func (l *mtxLines) next() ([]string, error) {
	for {
		text, err := l.text()
		if err != nil {
			return nil, err
		}
		l.fields = l.fields[:0]
		for f := range strings.FieldsSeq(text) {
			l.fields = append(l.fields, f)
		}
		if len(l.fields) > 0 && l.fields[0][0] != '%' {
			return l.fields, nil
		}
	}
}

// entry is next where the file must not end: it has read `read` entries of all.
func (l *mtxLines) entry(fields, read, all int) ([]string, error) {
	f, err := l.next()
	switch {
	case err == io.EOF:
		return nil, l.errorf("file ends after %d of %d entries", read, all)
	case err != nil:
		return nil, err
	case len(f) != fields:
		return nil, l.errorf("%d fields: want %d", len(f), fields)
	}
	return f, nil
}

func (l *mtxLines) header() (h mtxHeader, err error) {
	text, err := l.text()
	if err != nil && err != io.EOF {
		return h, err
	}
	f := strings.Fields(strings.ToLower(text))
	if len(f) == 0 || f[0] != "%%matrixmarket" {
		return h, l.errorf("not a Matrix Market file: want %%%%MatrixMarket matrix ...")
	}
	if len(f) != 5 {
		return h, l.errorf("header of %d words: want %%%%MatrixMarket matrix, format, field, symmetry", len(f))
	}
	if f[1] != "matrix" {
		return h, l.errorf("object %.40q: want matrix", f[1])
	}
	h = mtxHeader{array: f[2] == "array", field: f[3], symmetry: f[4]}
	if !h.array && f[2] != "coordinate" {
		return h, l.errorf("format %.40q: want coordinate or array", f[2])
	}
	switch h.field {
	case "real", "integer", "pattern":
	case "complex":
		return h, l.errorf("complex matrices are not supported")
	default:
		return h, l.errorf("field %.40q: want real, integer or pattern", h.field)
	}
	switch h.symmetry {
	case "general", "symmetric", "skew-symmetric":
	case "hermitian":
		return h, l.errorf("hermitian matrices are not supported")
	default:
		return h, l.errorf("symmetry %.40q: want general, symmetric or skew-symmetric", h.symmetry)
	}
	if h.field == "pattern" && (h.array || h.symmetry == "skew-symmetric") {
		return h, l.errorf("%s pattern %s: a pattern is coordinate, and general or symmetric", f[2], h.symmetry)
	}
	return h, nil
}

// size reads the line of sizes, which check may refuse. It returns the matrix, still
// without elements, and the number of entries to come.
func (l *mtxLines) size(h mtxHeader, check func(rows, cols int) error) (m Dense, entries int, err error) {
	names := []string{"rows", "columns", "entries"}
	if h.array {
		names = names[:2]
	}
	f, err := l.next()
	switch {
	case err == io.EOF:
		return m, 0, l.errorf("file ends before the sizes")
	case err != nil:
		return m, 0, err
	case len(f) != len(names):
		return m, 0, l.errorf("%d fields: want %s", len(f), strings.Join(names, ", "))
	}
	var n [3]int
	for i := range f {
		if n[i], err = strconv.Atoi(f[i]); err != nil || n[i] < 0 {
			return m, 0, l.errorf("%s %.40q: want a number of at least 0", names[i], f[i])
		}
	}
	m = Dense{Rows: n[0], Cols: n[1]}
	if err := check(m.Rows, m.Cols); err != nil {
		return m, 0, l.errorf("%w", err)
	}
	if h.symmetry != "general" && m.Rows != m.Cols {
		return m, 0, l.errorf("%d x %d matrix: a %s one is square", m.Rows, m.Cols, h.symmetry)
	}
	switch {
	case !h.array:
		return m, n[2], nil
	case h.symmetry == "symmetric":
		return m, m.Rows * (m.Rows + 1) / 2, nil
	case h.symmetry == "skew-symmetric":
		return m, m.Rows * (m.Rows - 1) / 2, nil
	default:
		return m, m.Rows * m.Cols, nil
	}
}
