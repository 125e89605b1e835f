package matrix

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestSparse checks which elements are stored, and where.
func TestSparse(t *testing.T) {
	s, err := sparseFromMTX(strings.NewReader("%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n3 1 2\n1 1 4\n2 2 0\n3 3 1\n3 1 -5\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Rows != 3 || s.Cols != 3 || !slices.Equal(s.Starts, []int{0, 2, 3, 5}) || !slices.Equal(s.Columns, []int32{0, 2, 1, 0, 2}) ||
		!slices.Equal(s.Values, []float64{4, -3, 0, -3, 1}) {
		t.Errorf("%+v", s)
	}
	if s.At(2, 0) != -3 || s.At(1, 0) != 0 {
		t.Errorf("(3, 1) is %g, (2, 1) is %g", s.At(2, 0), s.At(1, 0))
	}
}

// TestSparseFile compares a matrix from a file with the result of the dense reader.
func TestSparseFile(t *testing.T) {
	const path = "testdata/west0479.mtx"
	s, err := ReadSparse(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	sameElements(t, s, m)
}

func sameElements(t *testing.T, s *Sparse, m Dense) {
	t.Helper()
	if s.Rows != m.Rows || s.Cols != m.Cols || len(s.Starts) != s.Rows+1 || len(s.Columns) != len(s.Values) || s.Starts[s.Rows] != len(s.Values) {
		t.Fatalf("%d x %d of %d starts, %d columns, %d values: want %d x %d", s.Rows, s.Cols, len(s.Starts), len(s.Columns), len(s.Values), m.Rows, m.Cols)
	}
	for i := range m.Rows {
		columns, _ := s.Row(i)
		for k := 1; k < len(columns); k++ {
			if columns[k] <= columns[k-1] {
				t.Fatalf("row %d has the columns %d", i, columns)
			}
		}
		for j := range m.Cols {
			if got, want := s.At(i, j), m.Data[i*m.Cols+j]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("element (%d, %d) is %g, want %g", i, j, got, want)
			}
		}
	}
}

// TestSparseErrors checks that errors name the line. Headers alone must not allocate much memory.
func TestSparseErrors(t *testing.T) {
	for text, want := range map[string]string{
		coordinate + "2 2 1\n1 3 1\n":                "matrix: line 3: column \"3\": want 1 to 2",
		coordinate + "2 2 1\n1 1 x\n":                "matrix: line 3: value \"x\": want a real number",
		coordinate + "16777217 1 1\n1 1 1\n":         "matrix: line 2: 16777217 x 1 matrix: more than 16777216 rows or columns",
		coordinate + "9 9 134217729\n":               "matrix: line 2: 134217729 entries: want up to 134217728",
		coordinate + "16777216 16777216 134217728\n": "matrix: line 2: file ends after 0 of 134217728 entries",
		coordinate + "1 1 1\n1 1 1\n1 1 1\n":         "matrix: line 4: more than the 1 entries announced",
		array + "16385 16384\n":                      "matrix: line 2: 16385 x 16384 matrix: more than 268435456 elements",
	} {
		if _, err := sparseFromMTX(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
	if _, err := ReadSparse("a.npy"); err == nil || !strings.Contains(err.Error(), "want .mtx") {
		t.Errorf("a.npy: %v", err)
	}
}

// FuzzSparse checks that every input is the matrix that the dense reader returns, or an error
// that names the line.
func FuzzSparse(f *testing.F) {
	for _, s := range []string{
		array + "2 2\n1\n-2.5e-3\nNaN\n+inf\n",
		coordinate + "3 4 3\n1 1 1\n3 4 -0\n1 1 2\n",
		"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n",
		"%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 1\n2 1 7\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		m, wrong := decodeMTX(bytes.NewReader(file), -1, fuzzElements)
		s, err := decodeSparse(bytes.NewReader(file), fuzzElements)
		if err != nil && !strings.HasPrefix(err.Error(), "line ") {
			t.Fatalf("%v: want an error that names the line", err)
		}
		if wrong == nil {
			if err != nil {
				t.Fatalf("%v: but the dense reader accepts the file", err)
			}
			sameElements(t, s, m)
		}
	})
}
