package matrix

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/mat"
)

// npyFile returns a version 1 file with a dictionary and elements, in the layout of NumPy.
func npyFile(dict string, order binary.ByteOrder, elements any) []byte {
	b := append([]byte{}, "\x93NUMPY\x01\x00"...)
	dict += strings.Repeat(" ", 63-(10+len(dict))%64) + "\n"
	b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)))
	b, err := binary.Append(append(b, dict...), order, elements)
	if err != nil {
		panic(err)
	}
	return b
}

func dict(dtype, fortran, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", dtype, fortran, shape)
}

func TestDecodeNPY(t *testing.T) {
	want := Dense{2, 3, []float64{1, 2, 3, 4, 5, 6}}
	for _, c := range []struct {
		dtype    string
		elements any
	}{
		{"f8", []float64{1, 2, 3, 4, 5, 6}},
		{"f4", []float32{1, 2, 3, 4, 5, 6}},
		{"i1", []int8{1, 2, 3, 4, 5, 6}},
		{"i2", []int16{1, 2, 3, 4, 5, 6}},
		{"i4", []int32{1, 2, 3, 4, 5, 6}},
		{"i8", []int64{1, 2, 3, 4, 5, 6}},
		{"u1", []uint8{1, 2, 3, 4, 5, 6}},
		{"u2", []uint16{1, 2, 3, 4, 5, 6}},
		{"u4", []uint32{1, 2, 3, 4, 5, 6}},
		{"u8", []uint64{1, 2, 3, 4, 5, 6}},
	} {
		files := map[string][]byte{
			"little": npyFile(dict("<"+c.dtype, "False", "(2, 3)"), binary.LittleEndian, c.elements),
			"big":    npyFile(dict(">"+c.dtype, "False", "(2, 3)"), binary.BigEndian, c.elements),
		}
		if c.dtype == "u1" || c.dtype == "i1" { // NumPy writes | for types without a byte order
			files["big"] = npyFile(dict("|"+c.dtype, "False", "(2, 3)"), binary.BigEndian, c.elements)
		}
		for order, file := range files {
			got, err := fromNPY(iotest.OneByteReader(bytes.NewReader(file)))
			if err != nil || !sameBits(got, want) {
				t.Errorf("%s %s-endian: %v, %v", c.dtype, order, got, err)
			}
		}
	}
}

func TestDecodeNPYLayouts(t *testing.T) {
	le := binary.LittleEndian
	version2 := npyFile(dict("<i2", "True", "(3, 2)"), le, []int16{1, 3, 5, 2, 4, 6})
	version2[6] = 2
	version2 = append(version2[:10], append([]byte{0, 0}, version2[10:]...)...)
	for _, c := range []struct {
		name string
		file []byte
		want Dense
	}{
		{"Fortran order", npyFile(dict("<f8", "True", "(2, 3)"), le, []float64{1, 4, 2, 5, 3, 6}), Dense{2, 3, []float64{1, 2, 3, 4, 5, 6}}},
		{"version 2", version2, Dense{3, 2, []float64{1, 2, 3, 4, 5, 6}}},
		{"vector", npyFile(dict("<f8", "True", "(3,)"), le, []float64{1, 2, 3}), Dense{3, 1, []float64{1, 2, 3}}},
		{"number", npyFile(dict("<f8", "False", "()"), le, []float64{7}), Dense{1, 1, []float64{7}}},
		{"booleans", npyFile(dict("|b1", "False", "(1, 3)"), le, []byte{0, 1, 2}), Dense{1, 3, []float64{0, 1, 1}}},
		{"another order of keys", npyFile(`{"shape": (1, 2), "fortran_order": False, "descr": "<f8"}`, le, []float64{1, 2}), Dense{1, 2, []float64{1, 2}}},
		{"no elements", npyFile(dict("<f8", "False", "(0, 3)"), le, []float64{}), Dense{Rows: 0, Cols: 3}},
		{"extremes", npyFile(dict("<i8", "False", "(1, 2)"), le, []int64{math.MinInt64, 1<<53 + 1}), Dense{1, 2, []float64{-1 << 63, 1 << 53}}},
		{"unsigned", npyFile(dict("<u8", "False", "(1, 1)"), le, []uint64{math.MaxUint64}), Dense{1, 1, []float64{1 << 64}}},
		{"not finite", npyFile(dict("<f4", "False", "(1, 2)"), le, []float32{float32(math.Inf(-1)), float32(math.NaN())}),
			Dense{1, 2, []float64{math.Inf(-1), math.NaN()}}},
	} {
		if got, err := fromNPY(bytes.NewReader(c.file)); err != nil || !sameBits(got, c.want) {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}

func TestNPYErrors(t *testing.T) {
	le := binary.LittleEndian
	six := []float64{1, 2, 3, 4, 5, 6}
	good := npyFile(dict("<f8", "False", "(2, 3)"), le, six)
	shape := func(s string) []byte { return npyFile(dict("<f8", "False", s), le, six) }
	dtype := func(s string) []byte { return npyFile(dict(s, "False", "(2, 3)"), le, six) }
	with := func(at int, b ...byte) []byte {
		file := bytes.Clone(good)
		copy(file[at:], b)
		return file
	}
	for _, c := range []struct {
		file []byte
		want string
	}{
		{nil, "npy: header ends after 0 bytes: EOF"},
		{good[:7], "npy: header ends after 7 bytes: unexpected EOF"},
		{[]byte(array), `npy: not a NumPy file: begins with "%%Matr"`},
		{with(6, 4), "npy: version 4: want 1, 2 or 3"},
		{good[:9], "npy: header ends before its length: unexpected EOF"},
		{good[:100], "npy: header ends after 90 of 118 bytes: unexpected EOF"},
		{with(6, 2, 0, 0xff, 0xff, 0xff, 0xff), "npy: header of 4294967295 bytes: want at most 65536"},
		{shape("(1, 2, 3)"), "npy: shape [1 2 3]: want at most two dimensions"},
		{shape("(-2, -3)"), `npy: corrupt header, at "-2, -3), }          ": want a shape of whole numbers, each 0 or more`},
		{shape("(4294967296, 4294967296)"), "npy: 4294967296 x 4294967296 matrix: more than 268435456 elements"},
		{shape("(0, 268435457)"), "npy: 0 x 268435457 matrix: more than 268435456 elements"},
		{dtype("<c16"), `npy: dtype "<c16": want float64, float32, an integer or bool`},
		{dtype("<f2"), `npy: dtype "<f2": want float64, float32, an integer or bool`},
		{dtype("<U5"), `npy: dtype "<U5": texts: want numbers or booleans`},
		{npyFile("{}", le, six), `npy: the header lacks the key "descr"`},
		{good[:len(good)-1], "npy: after element 0 of 6: unexpected EOF"},
		{good[:len(good)-8], "npy: after element 0 of 6: unexpected EOF"},
		{append(bytes.Clone(good), 0), "npy: more than the 6 elements announced"},
	} {
		_, err := fromNPY(bytes.NewReader(c.file))
		wantError(t, err, "matrix: "+c.want)
	}
	_, err := fromNPY(iotest.TimeoutReader(bytes.NewReader(good)))
	wantError(t, err, "matrix: npy: timeout")
}

func TestNPYFileSize(t *testing.T) {
	good := npyFile(dict("<f4", "False", "(2, 3)"), binary.LittleEndian, make([]float32, 6))
	path := filepath.Join(t.TempDir(), "a.npy")
	for cut, want := range map[int]string{0: "", 1: "23 bytes of elements: want 24", 24: "0 bytes of elements: want 24"} {
		if err := os.WriteFile(path, good[:len(good)-cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if want != "" {
			want = "matrix: read " + path + ": npy: 2 x 3 matrix of <f4: " + want
		}
		_, err := Read(path)
		wantError(t, err, want)
	}
}

// TestEncodeNPY compares the file with NumPy's own layout, and reads it with the library.
func TestEncodeNPY(t *testing.T) {
	want := Dense{2, 3, []float64{1, math.Copysign(0, -1), math.Inf(1), math.Float64frombits(0x7ff8dead_beef0001), 5e-324, 6}}
	var file bytes.Buffer
	if err := toNPY(&file, want); err != nil {
		t.Fatal(err)
	}
	if numpy := npyFile(dict("<f8", "False", "(2, 3)"), binary.LittleEndian, want.Data); !bytes.Equal(file.Bytes(), numpy) {
		t.Errorf("%q\nwant %q", file.Bytes(), numpy)
	}
	var m mat.Dense
	if err := npy.Read(&file, &m); err != nil {
		t.Fatal(err)
	}
	rows, cols := m.Dims()
	if got := (Dense{rows, cols, m.RawMatrix().Data}); !sameBits(got, want) {
		t.Errorf("the library reads %v: want %v", got, want)
	}
}
