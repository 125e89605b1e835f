package matrix

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

const (
	array      = "%%MatrixMarket matrix array real general\n"
	coordinate = "%%MatrixMarket matrix coordinate real general\n"
)

func TestDecodeMatrixMarket(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name, file string
		rows, cols int
		want       []float64
	}{
		{"array", array + "2 3\n1\n2\n3\n4\n5\n6\n", 2, 3, []float64{1, 3, 5, 2, 4, 6}},
		{"coordinate", coordinate + "2 3 2\n2 3 -1.5e2\n1 1 .5\n", 2, 3, []float64{0.5, 0, 0, 0, 0, -150}},
		{"no final newline", coordinate + "1 1 1\n1 1 2", 1, 1, []float64{2}},
		{"CRLF, tabs, blanks and comments", "%%MatrixMarket\tmatrix array  real general\r\n%c\r\n\r\n  % c\r\n 1\t2 \r\n\r\n1\r\n%c\r\n 2 \r\n \r\n%end",
			1, 2, []float64{1, 2}},
		{"any case", "%%matrixmarket MATRIX Array REAL General\n1 1\n1E1\n", 1, 1, []float64{10}},
		{"duplicates are added", coordinate + "1 2 4\n1 1 1\n1 2 7\n1 1 2\n1 1 -4\n", 1, 2, []float64{-1, 7}},
		{"more entries than elements", coordinate + "1 1 3\n1 1 1\n1 1 1\n1 1 1\n", 1, 1, []float64{3}},
		{"negative zero", coordinate + "1 2 2\n1 1 -0\n1 2 0\n", 1, 2, []float64{math.Copysign(0, -1), 0}},
		{"integer", "%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 1 -3\n1 2 9007199254740993\n", 1, 2, []float64{-3, 1 << 53}},
		{"pattern", "%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 2\n2 1\n2 1\n", 2, 2, []float64{0, 1, 2, 0}},
		{"symmetric pattern", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n2 2\n", 2, 2, []float64{0, 1, 1, 1}},
		{"symmetric coordinate", "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 1 2\n3 2 3\n2 1 5\n",
			3, 3, []float64{1, 7, 0, 7, 0, 3, 0, 3, 0}},
		{"skew-symmetric coordinate", "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 2\n3 2 -3\n",
			3, 3, []float64{0, -2, 0, 2, 0, 3, 0, -3, 0}},
		{"symmetric array", "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n",
			3, 3, []float64{1, 2, 3, 2, 4, 5, 3, 5, 6}},
		{"skew-symmetric array", "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n",
			3, 3, []float64{0, -1, -2, 1, 0, -3, 2, 3, 0}},
		{"not finite", array + "1 7\nNaN\n-nan\nInf\n-inf\n+Infinity\n-INFINITY\n+NAN", 1, 7, []float64{nan, nan, inf, -inf, inf, -inf, nan}},
		{"too small becomes 0", array + "1 2\n1e-999\n-1e-999\n", 1, 2, []float64{0, math.Copysign(0, -1)}},
		{"exponents of Fortran", array + "1 6\n1.0D+00\n-2.5d2\n1.5D-1\n1.0+100\n-1.-3\n0.25D0\n", 1, 6, []float64{1, -250, 0.15, 1e100, -1e-3, 0.25}},
		{"comments anywhere", coordinate + "1 2 1 % sizes\n% c\n 1 1 7 % first\n%", 1, 2, []float64{7, 0}},
		{"several values a line", "%%MatrixMarket matrix array real general\n2 2\n1 3 2\n4\n", 2, 2, []float64{1, 2, 3, 4}},
		{"fields of other writers", "%%MatrixMarket matrix coordinate double general\n1 1 1\n1 1 0.5\n", 1, 1, []float64{0.5}},
		{"no elements", array + "0 3\n", 0, 3, nil},
		{"no rows, no columns, symmetric", "%%MatrixMarket matrix array real skew-symmetric\n0 0\n", 0, 0, nil},
		{"no entries", coordinate + "1 3 0\n", 1, 3, []float64{0, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := fromMTX(iotest.OneByteReader(strings.NewReader(c.file)))
			if err != nil {
				t.Fatal(err)
			}
			if want := (Dense{c.rows, c.cols, c.want}); !sameBits(got, want) {
				t.Errorf("%v\nwant %v", got, want)
			}
		})
	}
}

func TestMatrixMarketErrors(t *testing.T) {
	const symmetric = "%%MatrixMarket matrix coordinate real symmetric\n"
	long := strings.Repeat("9", 100)
	for _, c := range [][2]string{
		{"", "line 1: not a Matrix Market file: want %%MatrixMarket matrix ..."},
		{"\n" + array, "line 1: not a Matrix Market file: want %%MatrixMarket matrix ..."},
		{"\x93NUMPY\x01\x00", "line 1: not a Matrix Market file: want %%MatrixMarket matrix ..."},
		{"%%MatrixMarket matrix\n", "line 1: header has 2 fields: want %%MatrixMarket matrix, format, field, symmetry"},
		{"%%MatrixMarket vector array real general\n", `line 1: object "vector": want matrix`},
		{"%%MatrixMarket matrix dense real general\n", `line 1: format "dense": want coordinate or array`},
		{"%%MatrixMarket matrix array quaternion general\n", `line 1: field "quaternion": want real, integer or pattern`},
		{"%%MatrixMarket matrix array complex general\n", "line 1: complex matrices are not supported"},
		{"%%MatrixMarket matrix array real Hermitian\n", "line 1: hermitian matrices are not supported"},
		{"%%MatrixMarket matrix array real odd\n", `line 1: symmetry "odd": want general, symmetric or skew-symmetric`},
		{"%%MatrixMarket matrix array pattern general\n", "line 1: array pattern general: want coordinate pattern, general or symmetric"},
		{"%%MatrixMarket matrix coordinate pattern skew-symmetric\n",
			"line 1: coordinate pattern skew-symmetric: want coordinate pattern, general or symmetric"},
		{array, "line 1: file ends before the sizes"},
		{array + "%\n\n", "line 3: file ends before the sizes"},
		{array + "2\n", "line 2: 1 fields: want rows, columns"},
		{coordinate + "2 2\n", "line 2: 2 fields: want rows, columns, entries"},
		{array + "2 2 4\n", "line 2: 3 fields: want rows, columns"},
		{array + "-1 2\n", `line 2: rows "-1": want a number of at least 0`},
		{array + "2 x\n", `line 2: columns "x": want a number of at least 0`},
		{coordinate + "2 2 1.0\n", `line 2: entries "1.0": want a number of at least 0`},
		{array + "0 " + long + "\n", `line 2: columns "` + long[:40] + `": want a number of at least 0`},
		{array + "16385 16384\n", "line 2: 16385 x 16384 matrix: more than 268435456 elements"},
		{coordinate + "3037000500 3037000500 1\n", "line 2: 3037000500 x 3037000500 matrix: more than 268435456 elements"},
		{coordinate + "4294967296 4294967296 1\n", "line 2: 4294967296 x 4294967296 matrix: more than 268435456 elements"},
		{array + "0 268435457\n", "line 2: 0 x 268435457 matrix: more than 268435456 elements"},
		{symmetric + "2 3 1\n", "line 2: 2 x 3 symmetric matrix: want a square one"},
		{array + "2 1\n1\n", "line 3: file ends after 1 of 2 entries"},
		{coordinate + "2 1 9223372036854775807\n1 1 1\n%\n", "line 4: file ends after 1 of 9223372036854775807 entries"},
		{array + "16384 16384\n1\n", "line 3: file ends after 1 of 268435456 entries"},
		{array + "2 1\n1 2 3\n", "line 3: more than the 2 entries announced"},
		{array + "2 1\n1 x\n", `line 3: value "x": want a real number`},
		{coordinate + "2 2 1\n1 1\n", "line 3: 2 fields: want 3"},
		{coordinate + "2 2 1\n1 1 1 0\n", "line 3: 4 fields: want 3"},
		{coordinate + "2 3 1\n0 1 1\n", `line 3: row "0": want 1 to 2`},
		{coordinate + "2 3 1\n3 1 1\n", `line 3: row "3": want 1 to 2`},
		{coordinate + "2 3 2\n1 1 1\n1 4 1\n", `line 4: column "4": want 1 to 3`},
		{coordinate + "2 3 1\n1 " + long + " 1\n", `line 3: column "` + long[:40] + `": want 1 to 3`},
		{coordinate + "0 0 1\n1 1 1\n", `line 3: row "1": want 1 to 0`},
		{symmetric + "2 2 1\n1 2 1\n", "line 3: entry (1, 2) lies above the diagonal: want only the lower triangle of a symmetric matrix"},
		{"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 0\n",
			"line 3: entry (2, 2) lies on the diagonal: want only entries below it in a skew-symmetric matrix"},
		{array + "1 1\n1e999\n", `line 3: value "1e999": beyond the range of float64`},
		{array + "1 1\n1.0DD+00\n", `line 3: value "1.0DD+00": want a real number`},
		{array + "1 1\n1-\n", `line 3: value "1-": want a real number`},
		{array + "1 1\n1.0D+999\n", `line 3: value "1.0D+999": beyond the range of float64`},
		{array + "1 1\n0x1p-2\n", `line 3: value "0x1p-2": want a real number`},
		{array + "1 1\n0x1_0p-2\n", `line 3: value "0x1_0p-2": want a real number`},
		{array + "1 1\n1,5\n", `line 3: value "1,5": want a real number`},
		{array + "1 1\n--nan\n", `line 3: value "--nan": want a real number`},
		{array + "1 1\n1e\n", `line 3: value "1e": want a real number`},
		{"%%MatrixMarket matrix array integer general\n1 1\n1.5\n", `line 3: value "1.5": want an integer`},
		{"%%MatrixMarket matrix array integer general\n1 1\nNaN\n", `line 3: value "NaN": want an integer`},
		{"%%MatrixMarket matrix array integer general\n1 1\n1-1\n", `line 3: value "1-1": want an integer`},
		{array + "1 1\n1\n%\n2\n", "line 5: more than the 1 entries announced"},
		{coordinate + "1 1 0\n1 1 1\n", "line 3: more than the 0 entries announced"},
		{array + "1 1\n" + strings.Repeat(" ", (1<<16)) + "1\n", "line 3: longer than 65536 bytes"},
		{strings.Repeat("%", 1<<20), "line 1: longer than 65536 bytes"},
	} {
		_, err := fromMTX(strings.NewReader(c[0]))
		wantError(t, err, "matrix: "+c[1])
	}
	_, err := fromMTX(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(array))))
	wantError(t, err, "matrix: line 1: timeout")
}

func TestEncodeMatrixMarket(t *testing.T) {
	for _, c := range []struct {
		m    Dense
		want string
	}{
		{Dense{2, 2, []float64{0.1, 1e300, -0.5, 3}}, array + "2 2\n0.1\n-0.5\n1e+300\n3\n"},
		{Dense{2, 2, []float64{0, 0, 7, 0}}, coordinate + "2 2 1\n2 1 7\n"},
		// A matrix with exactly a third nonzero elements is written as an array.
		{Dense{1, 3, []float64{0, 0, 7}}, array + "1 3\n0\n0\n7\n"},
		{Dense{1, 4, []float64{0, math.Copysign(0, -1), 0, 0}}, coordinate + "1 4 1\n1 2 -0\n"},
		{Dense{1, 2, []float64{math.NaN(), math.Inf(-1)}}, array + "1 2\nNaN\n-Inf\n"},
		{Dense{0, 3, nil}, array + "0 3\n"},
	} {
		var file bytes.Buffer
		if err := toMTX(&file, c.m); err != nil || file.String() != c.want {
			t.Errorf("%v: %v\n%s\nwant\n%s", c.m, err, &file, c.want)
		}
	}
}

// TestPackedFiles reads matrices compressed by gzip, and with a byte order mark.
func TestPackedFiles(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte("\ufeff" + coordinate + "2 2 1\r\n2 1 5\r\n"))
	w.Close()
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"a.mtx.gz": bytes.Clone(packed.Bytes()), "b.MTX": bytes.Clone(packed.Bytes()), "c.mtx": []byte("\ufeff" + coordinate + "2 2 1\n2 1 5\n"), "d.npy.gz": nil,
	} {
		if content == nil {
			packed.Reset()
			w.Reset(&packed)
			w.Write(npyFile(dict("<f8", "False", "(2, 2)"), binary.LittleEndian, []float64{0, 0, 5, 0}))
			w.Close()
			content = packed.Bytes()
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		want := Dense{2, 2, []float64{0, 0, 5, 0}}
		if got, err := Read(path); err != nil || !sameBits(got, want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if name[0] == 'd' {
			continue
		}
		if got, err := ReadSparse(path); err != nil || got.At(1, 0) != 5 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	wantError(t, Write(filepath.Join(dir, "e.mtx.gz"), Dense{1, 1, []float64{1}}), "matrix: write "+filepath.Join(dir, "e.mtx.gz")+": extension .gz: files are written uncompressed")
}
