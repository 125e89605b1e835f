package matrix

import (
	"io"
	"strconv"
	"strings"

	"github.com/fagus-dsm/fagus/apps/internal/text"
)

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
	switch _, err := l.Next(); {
	case err == nil:
		return l.Errorf("more than the %d entries announced", entries)
	case err != io.EOF:
		return err
	}
	return nil
}

// mtxLines are the lines of a file, and what its format says about them.
type mtxLines struct{ *text.Lines }

func newMTXLines(r io.Reader) *mtxLines { return &mtxLines{text.NewLines(r, "%", "")} }

// entry returns the fields of the next line, whose number must be fields, unless that is 0. read
// is the number of entries read before, and all is the number announced by the header.
func (l *mtxLines) entry(fields, read, all int) ([]string, error) {
	f, err := l.Next()
	switch {
	case err == io.EOF:
		return nil, l.Errorf("file ends after %d of %d entries", read, all)
	case err != nil:
		return nil, err
	case fields > 0 && len(f) != fields:
		return nil, l.Errorf("%d fields: want %d", len(f), fields)
	}
	return f, nil
}

func (l *mtxLines) header() (h mtxHeader, err error) {
	line, err := l.Text()
	if err != nil && err != io.EOF {
		return h, err
	}
	f := strings.Fields(strings.ToLower(line))
	if len(f) == 0 || f[0] != "%%matrixmarket" {
		return h, l.Errorf("not a Matrix Market file: want %%%%MatrixMarket matrix ...")
	}
	if len(f) != 5 {
		return h, l.Errorf("header has %d fields: want %%%%MatrixMarket matrix, format, field, symmetry", len(f))
	}
	if f[1] != "matrix" {
		return h, l.Errorf("object %.40q: want matrix", f[1])
	}
	h = mtxHeader{array: f[2] == "array", field: f[3], symmetry: f[4]}
	if other := map[string]string{"double": "real", "unsigned-integer": "integer"}[h.field]; other != "" {
		h.field = other // as some writers call it
	}
	if !h.array && f[2] != "coordinate" {
		return h, l.Errorf("format %.40q: want coordinate or array", f[2])
	}
	if err := l.supported("field", h.field, "complex", "real", "integer", "pattern"); err != nil {
		return h, err
	}
	if err := l.supported("symmetry", h.symmetry, "hermitian", "general", "symmetric", "skew-symmetric"); err != nil {
		return h, err
	}
	if h.field == "pattern" && (h.array || h.symmetry == "skew-symmetric") {
		return h, l.Errorf("%s pattern %s: want coordinate pattern, general or symmetric", f[2], h.symmetry)
	}
	return h, nil
}

// supported returns an error unless the value of the named header field is a, b or c. The format
// permits the value unsupported, too, which gets a different error.
func (l *mtxLines) supported(name, value, unsupported, a, b, c string) error {
	switch value {
	case a, b, c:
		return nil
	case unsupported:
		return l.Errorf("%s matrices are not supported", value)
	}
	return l.Errorf("%s %.40q: want %s, %s or %s", name, value, a, b, c)
}

// size reads the line of sizes, and returns an error if check rejects them. m has no elements yet.
func (l *mtxLines) size(h mtxHeader, check func(rows, cols int) error) (m Dense, entries int, err error) {
	names := []string{"rows", "columns", "entries"}
	if h.array {
		names = names[:2]
	}
	f, err := l.Next()
	switch {
	case err == io.EOF:
		return m, 0, l.Errorf("file ends before the sizes")
	case err != nil:
		return m, 0, err
	case len(f) != len(names):
		return m, 0, l.Errorf("%d fields: want %s", len(f), strings.Join(names, ", "))
	}
	var n [3]int
	for i := range f {
		if n[i], err = strconv.Atoi(f[i]); err != nil || n[i] < 0 {
			return m, 0, l.Errorf("%s %.40q: want a number of at least 0", names[i], f[i])
		}
	}
	m = Dense{Rows: n[0], Cols: n[1]}
	if err := check(m.Rows, m.Cols); err != nil {
		return m, 0, l.Errorf("%w", err)
	}
	if h.symmetry != "general" && m.Rows != m.Cols {
		return m, 0, l.Errorf("%d x %d %s matrix: want a square one", m.Rows, m.Cols, h.symmetry)
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
