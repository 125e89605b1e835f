package matrix

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sameBits reports whether a and b are equal bit for bit; all NaNs count as equal.
func sameBits(a, b Dense) bool {
	if a.Rows != b.Rows || a.Cols != b.Cols || len(a.Data) != len(b.Data) {
		return false
	}
	for i, v := range a.Data {
		w := b.Data[i]
		if math.Float64bits(v) != math.Float64bits(w) && !(math.IsNaN(v) && math.IsNaN(w)) {
			return false
		}
	}
	return true
}

// wantError compares err with an exact text; "" means no error.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && err.Error() != want {
		t.Errorf("error %q\nwant  %q", fmt.Sprint(err), want)
	}
}

// samples returns matrices of many shapes, densities and kinds of numbers.
func samples() []Dense {
	r := rand.New(rand.NewPCG(1, 2))
	special := []float64{math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64,
		-math.SmallestNonzeroFloat64, 0x1p-1022, 1.0 / 3, 0.1, 1 << 53, 1e22, 123456789}
	all := []Dense{{Rows: 3, Cols: 4, Data: special}}
	for _, shape := range [][2]int{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1, 7}, {7, 1}, {2, 3}, {17, 13}, {130, 65}} {
		for _, density := range []float64{0, 0.1, 0.32, 1} {
			m := Dense{Rows: shape[0], Cols: shape[1], Data: make([]float64, shape[0]*shape[1])}
			for i := range m.Data {
				if r.Float64() < density {
					m.Data[i] = math.Float64frombits(r.Uint64())
				}
			}
			all = append(all, m)
		}
	}
	sparse := Dense{Rows: 10, Cols: 10, Data: make([]float64, 100)}
	copy(sparse.Data[50:], special)
	return append(all, sparse)
}

func TestWriteThenRead(t *testing.T) {
	dir := t.TempDir()
	for i, m := range samples() {
		for _, ext := range []string{".mtx", ".npy", ".NPY"} {
			path := filepath.Join(dir, "m"+ext)
			if err := Write(path, m); err != nil {
				t.Fatal(err)
			}
			got, err := Read(path)
			if err != nil || !sameBits(m, got) {
				t.Errorf("sample %d, %d x %d, %s: other bits, error %v", i, m.Rows, m.Cols, ext, err)
			}
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 3 {
		t.Errorf("%d files left, error %v: want 3", len(left), err)
	}
}

func TestWest0479(t *testing.T) {
	m, err := Read("testdata/west0479.mtx")
	if err != nil {
		t.Fatal(err)
	}
	nonzero := 0
	for _, v := range m.Data {
		if v != 0 {
			nonzero++
		}
	}
	// The file has 1910 entries, 22 of which are 0.
	if m.Rows != 479 || m.Cols != 479 || nonzero != 1910-22 {
		t.Errorf("%d x %d with %d nonzero elements: want 479 x 479 with 1888", m.Rows, m.Cols, nonzero)
	}
	if v := m.Data[30*479]; v != -0.03764813 {
		t.Errorf("element (31, 1) is %v: want -0.03764813", v)
	}
	var file bytes.Buffer
	if err := toMTX(&file, m); err != nil {
		t.Fatal(err)
	}
	again, err := fromMTX(&file)
	if err != nil || !sameBits(m, again) {
		t.Errorf("written and read again: other bits, error %v", err)
	}
}

func TestPathErrors(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.mtx")
	if err := os.WriteFile(bad, []byte("%%MatrixMarket matrix array real general\n1 1\nx\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Read(bad)
	wantError(t, err, "matrix: read "+bad+`: line 3: value "x": want a real number`)
	_, err = Read("a.csv")
	wantError(t, err, `matrix: read a.csv: extension ".csv": want .mtx (Matrix Market) or .npy (NumPy)`)
	_, err = Read(filepath.Join(dir, "none.npy"))
	wantError(t, err, "matrix: read "+dir+"/none.npy: no such file or directory")
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v: not os.ErrNotExist", err)
	}
	for _, ext := range []string{".mtx", ".npy"} {
		folder := filepath.Join(dir, "folder"+ext)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(folder); err == nil || !strings.Contains(err.Error(), "is a directory") {
			t.Errorf("reading a folder: error %v", err)
		}
		wantError(t, Write(folder, Dense{}), "matrix: write "+folder+": not a regular file")
	}
	wantError(t, Write("c", Dense{}), `matrix: write c: extension "": want .mtx (Matrix Market) or .npy (NumPy)`)
	wantError(t, Write("c.mtx", Dense{Rows: 2, Cols: 2, Data: make([]float64, 3)}), "matrix: write c.mtx: 2 x 2 matrix with 3 elements: want 4")
	wantError(t, Write("c.npy", Dense{Rows: -1}), "matrix: write c.npy: -1 x 0 matrix: negative size")
	wantError(t, toNPY(nil, Dense{Rows: 1, Cols: 1}), "matrix: 1 x 1 matrix with 0 elements: want 1")
	wantError(t, toMTX(nil, Dense{Rows: 1 << 60, Cols: 1 << 60}),
		"matrix: 1152921504606846976 x 1152921504606846976 matrix: more than 268435456 elements")
}

// failing is a writer that fails after n bytes.
type failing struct{ n int }

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.n {
		return 0, errors.New("disk full")
	}
	f.n -= len(p)
	return len(p), nil
}

func TestWriterFails(t *testing.T) {
	m := Dense{Rows: 100, Cols: 300, Data: make([]float64, 30000)}
	for i := range m.Data {
		m.Data[i] = 1.0 / float64(i+3)
	}
	for _, n := range []int{0, 1000, 100_000} {
		wantError(t, toNPY(&failing{n}, m), "matrix: disk full")
		wantError(t, toMTX(&failing{n}, m), "matrix: disk full")
	}
}
