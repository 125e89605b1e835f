package matrix

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxLine is the longest accepted line in bytes. The format allows 1024.
const maxLine = 1 << 16

type mtxHeader struct {
	array    bool // all elements, column by column; otherwise nonzero elements with their indices
	field    string
	symmetry string
}

// decodeMTX reads a matrix up to the end of r. In a coordinate file it adds up entries with the
// same indices. It ignores the file size, because it allocates memory for entries only as it
// reads them.
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
	if err == nil {
		err = l.end(entries)
	}
	if err != nil {
		return Dense{}, err
	}
	return m, nil
}

// end returns an error if anything follows the last of the given number of entries.
func (l *mtxLines) end(entries int) error {
	switch _, err := l.next(); {
	case err == nil:
		return l.errorf("more than the %d entries announced", entries)
	case err != io.EOF:
		return err
	}
	return nil
}

// mtxLines splits a file into lines, and lines into fields.
type mtxLines struct {
	scan   *bufio.Scanner
	line   int // number of the last line read, from 1
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

func (l *mtxLines) text() (string, error) {
	scanned := l.scan.Scan()
	err := l.scan.Err() // after an error of the reader, the scanned line may be incomplete
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

// next returns the fields of the next line with data, or io.EOF; the next call overwrites them.
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

// entry returns the fields of the next entry, whose number must be fields. read is the number of
// entries read before, and all the number that the header announces.
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
		return h, l.errorf("header has %d fields: want %%%%MatrixMarket matrix, format, field, symmetry", len(f))
	}
	if f[1] != "matrix" {
		return h, l.errorf("object %.40q: want matrix", f[1])
	}
	h = mtxHeader{array: f[2] == "array", field: f[3], symmetry: f[4]}
	if !h.array && f[2] != "coordinate" {
		return h, l.errorf("format %.40q: want coordinate or array", f[2])
	}
	if err := l.supported("field", h.field, "complex", "real", "integer", "pattern"); err != nil {
		return h, err
	}
	if err := l.supported("symmetry", h.symmetry, "hermitian", "general", "symmetric", "skew-symmetric"); err != nil {
		return h, err
	}
	if h.field == "pattern" && (h.array || h.symmetry == "skew-symmetric") {
		return h, l.errorf("%s pattern %s: want coordinate pattern, general or symmetric", f[2], h.symmetry)
	}
	return h, nil
}

// supported returns an error unless the value of the named header field is a, b or c. The format
// permits the value unsupported too, which gets an error of its own.
func (l *mtxLines) supported(name, value, unsupported, a, b, c string) error {
	switch value {
	case a, b, c:
		return nil
	case unsupported:
		return l.errorf("%s matrices are not supported", value)
	}
	return l.errorf("%s %.40q: want %s, %s or %s", name, value, a, b, c)
}

// size reads the line of sizes, and returns an error if check rejects them. m has no elements yet.
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
		return m, 0, l.errorf("%d x %d %s matrix: want a square one", m.Rows, m.Cols, h.symmetry)
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
