package matrix

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// firstAlloc limits the number of elements allocated before any element has been read.
const firstAlloc = 1 << 16

// array reads the elements of m column by column. A symmetric matrix has only the lower triangle
// in the file, a skew-symmetric matrix only the part below the diagonal. The format has one value
// a line. Writers in C and Fortran put several into a line, and their readers accept that.
func (l *mtxLines) array(h mtxHeader, m *Dense, entries int) error {
	values := make([]float64, 0, min(entries, firstAlloc))
	for len(values) < entries {
		f, err := l.entry(0, len(values), entries)
		if err != nil {
			return err
		}
		if len(values)+len(f) > entries {
			return l.Errorf("more than the %d entries announced", entries)
		}
		for _, s := range f {
			v, err := l.value(h, s)
			if err != nil {
				return err
			}
			values = append(values, v)
		}
	}
	m.Data = make([]float64, m.Rows*m.Cols)
	for j := range m.Cols {
		first := 0
		switch h.symmetry {
		case "symmetric":
			first = j
		case "skew-symmetric":
			first = j + 1
		}
		for i := first; i < m.Rows; i++ {
			h.expand(i, j, values[0], func(i, j int, v float64) { add(&m.Data[i*m.Cols+j], v) })
			values = values[1:]
		}
	}
	return nil
}

// coordinate reads entries in any order, each with its row and column. It calls put for each
// entry, and for the mirrored entry of a symmetric matrix.
func (l *mtxLines) coordinate(h mtxHeader, rows, cols, entries int, put func(i, j int, v float64)) error {
	fields := 3
	if h.field == "pattern" {
		fields = 2
	}
	for read := range entries {
		f, err := l.entry(fields, read, entries)
		if err != nil {
			return err
		}
		i, err := l.index("row", f[0], rows)
		if err != nil {
			return err
		}
		j, err := l.index("column", f[1], cols)
		if err != nil {
			return err
		}
		if h.symmetry != "general" && i < j {
			return l.Errorf("entry (%d, %d) lies above the diagonal: want only the lower triangle of a %s matrix", i+1, j+1, h.symmetry)
		}
		if h.symmetry == "skew-symmetric" && i == j {
			return l.Errorf("entry (%d, %d) lies on the diagonal: want only entries below it in a skew-symmetric matrix", i+1, j+1)
		}
		v := 1.0
		if fields == 3 {
			if v, err = l.value(h, f[2]); err != nil {
				return err
			}
		}
		h.expand(i, j, v, put)
	}
	return nil
}

// expand calls put for v at (i, j) and, by symmetry, at (j, i).
func (h mtxHeader) expand(i, j int, v float64, put func(i, j int, v float64)) {
	put(i, j, v)
	if i == j {
		return
	}
	switch h.symmetry {
	case "symmetric":
		put(j, i, v)
	case "skew-symmetric":
		put(j, i, -v)
	}
}

// add computes *x += v, except that a single entry of -0 stays -0.
func add(x *float64, v float64) {
	if *x == 0 {
		*x = v
	} else {
		*x += v
	}
}

func (l *mtxLines) index(name, s string, n int) (int, error) {
	i, err := strconv.Atoi(s)
	if err != nil || i < 1 || i > n {
		return 0, l.Errorf("%s %.40q: want 1 to %d", name, s, n)
	}
	return i - 1, nil
}

// value parses a decimal number without underscores; in an integer file, only signs and digits.
func (l *mtxLines) value(h mtxHeader, s string) (float64, error) {
	allowed, want := "+-.0123456789EeDd", "a real number"
	if h.field == "integer" {
		allowed, want = "+-0123456789", "an integer"
	} else if v, ok := notFinite(s); ok {
		return v, nil
	}
	if strings.Trim(s, allowed) != "" {
		return 0, l.Errorf("value %.40q: want %s", s, want)
	}
	text := s
	if h.field != "integer" {
		text = fortran(s)
	}
	v, err := strconv.ParseFloat(text, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, l.Errorf("value %.40q: beyond the range of float64", s)
	}
	if err != nil {
		return 0, l.Errorf("value %.40q: want %s", s, want)
	}
	return v, nil
}

// fortran converts a real number from Fortran's notation to C's: 1.0D+00 and, where the exponent
// has three digits, 1.0+100.
func fortran(s string) string {
	s = strings.NewReplacer("D", "E", "d", "E").Replace(s)
	if at := strings.LastIndexAny(s, "+-"); at > 0 && strings.ContainsRune(".0123456789", rune(s[at-1])) {
		s = s[:at] + "E" + s[at:]
	}
	return s
}

// notFinite parses NaN, which C programs may write with a sign, and the infinities.
func notFinite(s string) (v float64, ok bool) {
	sign := 1
	switch {
	case strings.HasPrefix(s, "-"):
		sign, s = -1, s[1:]
	case strings.HasPrefix(s, "+"):
		s = s[1:]
	}
	switch strings.ToLower(s) {
	case "nan":
		return math.NaN(), true
	case "inf", "infinity":
		return math.Inf(sign), true
	}
	return 0, false
}
