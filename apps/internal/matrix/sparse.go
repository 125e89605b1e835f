package matrix

import (
	"fmt"
	"io"
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/text"
)

// MaxRows limits the number of rows of a Sparse matrix, and the number of columns.
const MaxRows = 1 << 24

// Sparse is a matrix of Rows x Cols elements that stores its nonzero elements (and possibly some
// zeros) row by row. Row i has Values[Starts[i]:Starts[i+1]] in the columns
// Columns[Starts[i]:Starts[i+1]], which ascend. Starts has Rows+1 elements. All indices count
// from 0.
type Sparse struct {
	Rows, Cols int
	Starts     []int
	Columns    []int32
	Values     []float64
}

// Row returns the columns and the values of row i.
func (s *Sparse) Row(i int) (columns []int32, values []float64) {
	lo, hi := s.Starts[i], s.Starts[i+1]
	return s.Columns[lo:hi:hi], s.Values[lo:hi:hi]
}

// At returns element (i, j), which is 0 if it is not stored.
func (s *Sparse) At(i, j int) float64 {
	columns, values := s.Row(i)
	if k, found := slices.BinarySearch(columns, int32(j)); found {
		return values[k]
	}
	return 0
}

// ReadSparse reads the matrix in the Matrix Market file at path, which ends in .mtx. Errors name
// the path.
func ReadSparse(path string) (*Sparse, error) {
	s, err := readSparse(path)
	if err != nil {
		return nil, fmt.Errorf("matrix: read %s: %w", path, err)
	}
	return s, nil
}

func readSparse(path string) (*Sparse, error) {
	if ext := text.Ext(path); ext != ".mtx" {
		return nil, fmt.Errorf("extension %q: want .mtx (Matrix Market)", ext)
	}
	file, err := text.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() // read-only: an error loses nothing
	s, err := decodeSparse(file, MaxRows)
	return s, text.WithoutPath(err)
}

// entry is an element and its indices.
type entry struct {
	row, col int32
	value    float64
}

func decodeSparse(r io.Reader, limit int) (*Sparse, error) {
	l := newMTXLines(r)
	h, err := l.header()
	if err != nil {
		return nil, err
	}
	m, n, err := l.size(h, func(rows, cols int) error {
		if h.array {
			return checkShape(rows, cols, MaxElements)
		}
		if rows > limit || cols > limit {
			return fmt.Errorf("%d x %d matrix: more than %d rows or columns", rows, cols, limit)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case n > MaxElements/2: // symmetry may double the entries
		return nil, l.Errorf("%d entries: want up to %d", n, MaxElements/2)
	}
	var entries []entry
	put := func(i, j int, v float64) { entries = append(entries, entry{int32(i), int32(j), v}) }
	if h.array {
		err = l.array(h, &m, n)
		for at, v := range m.Data {
			if v != 0 {
				put(at/m.Cols, at%m.Cols, v)
			}
		}
	} else {
		err = l.coordinate(h, m.Rows, m.Cols, n, put)
	}
	if err != nil {
		return nil, err
	}
	if err := l.end(n); err != nil {
		return nil, err
	}
	return compress(m.Rows, m.Cols, entries), nil
}

// compress sorts the entries. Entries with equal indices are added in the order of the file.
func compress(rows, cols int, entries []entry) *Sparse {
	slices.SortStableFunc(entries, func(a, b entry) int {
		if a.row != b.row {
			return int(a.row) - int(b.row)
		}
		return int(a.col) - int(b.col)
	})
	s := &Sparse{Rows: rows, Cols: cols, Starts: make([]int, rows+1)}
	for k, e := range entries {
		if k > 0 && e.row == entries[k-1].row && e.col == entries[k-1].col {
			add(&s.Values[len(s.Values)-1], e.value)
			continue
		}
		s.Columns, s.Values = append(s.Columns, e.col), append(s.Values, e.value)
		s.Starts[e.row+1]++
	}
	for i := range rows {
		s.Starts[i+1] += s.Starts[i]
	}
	return s
}
