package checkpoints

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npy"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// littleEndian returns a value as it is in the memory of a little-endian machine.
func littleEndian(t *testing.T, value any) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, value); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestNPY: NumPy's format holds what was saved, for every type of numbers.
func TestNPY(t *testing.T) {
	for kind, values := range map[string]any{
		"bool": []bool{true, false, true}, "int8": []int8{-1, 2}, "int16": []int16{-1, 2}, "int32": []int32{-1, 2}, "int64": []int64{-1, 1 << 60},
		"uint8": []uint8{1, 255}, "uint16": []uint16{1, 65535}, "uint32": []uint32{1, 1 << 31}, "uint64": []uint64{1, 1 << 63},
		"float32": []float32{1.5, -2}, "float64": []float64{1.5, math.Inf(1)}, "complex64": []complex64{1 + 2i}, "complex128": []complex128{3 - 4i, 0},
		"int": []int64{-3, 4}, "uint": []uint64{1 << 63},
	} {
		length := reflect.ValueOf(values).Len()
		data := littleEndian(t, values)
		o := newJob(t).save(t, "0", whole(kind, len(data)/length, data))
		x, err := newExported(o, "a0", "")
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		x.ctx = t.Context()
		var b bytes.Buffer
		w := bufio.NewWriter(&b)
		if err := x.writeNPY(w); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if (b.Len()-len(data))%64 != 0 {
			t.Errorf("%s: the header has %d bytes", kind, b.Len()-len(data))
		}
		r, err := npy.NewReader(&b)
		if err != nil {
			t.Fatal(err)
		}
		got := reflect.New(reflect.TypeOf(values))
		if err := r.Read(got.Interface()); err != nil || !reflect.DeepEqual(got.Elem().Interface(), values) {
			t.Errorf("%s: %v, error %v; want %v", kind, got.Elem(), err, values)
		}
	}
}

type kelvin float64

// TestNamedNumbers: what a program calls its numbers, and whether it shares or keeps them, does not
// matter. What each rank keeps has the bytes that were saved.
func TestNamedNumbers(t *testing.T) {
	j := newJob(t)
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Checkpoints: j.Keeper}, func(n *fagus.Node) error {
		heat := fagus.NewGuarded[kelvin](n, "heat", 3)
		pairs := fagus.NewGuarded[[2]kelvin](n, "pairs", 2)
		mine := []kelvin{kelvin(n.Rank()) + 0.5}
		fagus.Keep(n, "mine", &mine, n.Rank(), 2)
		fagus.KeepEach(n, "each", func() []byte { return []byte("five!") }, func([]byte) error { return nil })
		if n.Rank() == 0 {
			n.Set(heat.Write(), pairs.Write()).Do(func() {
				copy(heat.Slice(), []kelvin{1, 2, 3})
				copy(pairs.Slice(), [][2]kelvin{{1, 2}, {3, 4}})
			})
		}
		return n.Checkpoint()
	})
	if err != nil {
		t.Fatal(err)
	}
	o, err := checkpoint.Open(t.Context(), j.store(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for name, want := range map[string]string{"heat": "3 1\n1\n2\n3\n", "pairs": "2 2\n1\n3\n2\n4\n", "mine": "2 1\n0.5\n1.5\n"} {
		x, err := newExported(o, name, "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		x.ctx = t.Context()
		var b bytes.Buffer
		w := bufio.NewWriter(&b)
		if err = x.column(); err == nil {
			err = x.writeMTX(w)
		}
		if err == nil {
			err = w.Flush()
		}
		if _, text, _ := strings.Cut(b.String(), "\n"); err != nil || x.Name != "float64" || text != want {
			t.Errorf("%s: %s of type %s, error %v; want %s", name, text, x.Name, err, want)
		}
	}
	if _, err := newExported(o, "each", ""); err == nil || !strings.Contains(err.Error(), "they are bytes that each rank has made") {
		t.Errorf("each: error %v", err)
	}
	var s summary
	s.measure(o)
	const head = 8 // KeepEach saves the number of bytes
	if a := s.Arrays[3]; a.Name != "each" || a.Bytes != 2*(head+len("five!")) || a.Saved != int64(a.Bytes) {
		t.Errorf("%+v", a)
	}
}

func TestShapes(t *testing.T) {
	o := newJob(t).save(t, "0", whole("[3]int16", 6, littleEndian(t, []int16{0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32})))
	for _, c := range []struct{ shape, npy, mtx string }{
		{"", "(4, 3)", "4 3\n0\n10\n20\n30\n1\n"},
		{"2x6", "(2, 6)", "2 6\n0\n20\n1\n21\n2\n"},
		{"12X1", "(12, 1)", "12 1\n0\n1\n2\n10\n"},
	} {
		x, err := newExported(o, "a0", c.shape)
		if err != nil {
			t.Fatal(err)
		}
		x.ctx = t.Context()
		var b bytes.Buffer
		w := bufio.NewWriter(&b)
		err = x.writeNPY(w)
		if err == nil {
			err = x.column()
		}
		if err == nil {
			err = x.writeMTX(w)
		}
		if err == nil {
			err = w.Flush()
		}
		if err != nil || !strings.Contains(b.String(), "'shape': "+c.npy) || !strings.Contains(b.String(), "%%MatrixMarket matrix array integer general\n"+c.mtx) {
			t.Errorf("shape %q: %q, error %v", c.shape, &b, err)
		}
	}
	for _, shape := range []string{"3x3", "0x12", "12", "-1x12", "x", "24x1", "99999999999999999999x1", "9223372036854775807x9223372036854775807"} {
		if _, err := newExported(o, "a0", shape); err == nil || !strings.Contains(err.Error(), "--shape") {
			t.Errorf("shape %q: error %v", shape, err)
		}
	}
}

// TestComplexMTX: a complex number is two numbers of a line.
func TestComplexMTX(t *testing.T) {
	x, err := newExported(newJob(t).save(t, "0", whole("complex64", 8, littleEndian(t, []complex64{1.5 - 2i, 3}))), "a0", "")
	if err != nil {
		t.Fatal(err)
	}
	x.ctx = t.Context()
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	if err := x.column(); err != nil {
		t.Fatal(err)
	}
	if err := x.writeMTX(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil || b.String() != "%%MatrixMarket matrix array complex general\n2 1\n1.5 -2\n3 0\n" {
		t.Errorf("%q, error %v", &b, err)
	}
}

func TestExportErrors(t *testing.T) {
	huge := saving{kind: "1152921504606846975 elements of type float64", element: 8, bytes: math.MaxInt &^ 7}
	o := newJob(t).save(t, "0", whole("sor.Point", 8, make([]byte, 16)), huge)
	for name, want := range map[string]string{
		"":     "--array: want the name of an array: a0, a1",
		"blue": `--array "blue": the checkpoint has a0, a1`,
		"a0":   "cannot be exported: they are of type sor.Point: want numbers, bool, or arrays of them",
		"a1":   "were never saved: that is too much to write as zeros",
	} {
		if _, err := newExported(o, name, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("array %q: error %v, want %s", name, err, want)
		}
	}
}

// TestElements: kinds that contradict the sizes, and what nobody writes, give errors.
func TestElements(t *testing.T) {
	for _, a := range []fagus.SavedArray{
		{Kind: "2 elements of type float64", Element: 4, Bytes: 8},
		{Kind: "2 elements of type float64", Element: 8, Bytes: 24},
		{Kind: "2 elements of type [3]float64", Element: 8, Bytes: 16},
		{Kind: "2 elements of type [0]float64", Element: 8, Bytes: 16},
		{Kind: "2 elements of type [9223372036854775807][9223372036854775807]uint8", Element: 1, Bytes: 2},
		{Kind: "2 elements of type " + strings.Repeat("[1]", 40) + "uint8", Element: 1, Bytes: 2},
		{Kind: "2 elements of type int", Element: 3, Bytes: 6},
		{Kind: "2 elements of type []int8", Element: 1, Bytes: 2},
		{Kind: "2 elements of type struct { X float64 }", Element: 8, Bytes: 16},
		{Kind: "2 elements of type main.Point (struct { X float64 })", Element: 8, Bytes: 16},
		{Kind: "2 elements of type float64 (int32)", Element: 8, Bytes: 16},
		{Kind: "float64", Element: 8, Bytes: 16},
		{Kind: "", Element: 1},
	} {
		if e, err := elementsOf(a); err == nil {
			t.Errorf("%+v: %+v, no error", a, e)
		}
	}
	e, err := elementsOf(fagus.SavedArray{Kind: "5 elements of type [2][3]float32", Element: 24, Bytes: 120})
	if err != nil || e.Name != "float32" || e.Inside != 6 || e.Count != 5 {
		t.Errorf("%+v, error %v", e, err)
	}
	if got := e.Index(6*4 + 5); got != "[4][1][2]" {
		t.Error(got)
	}
}

func FuzzElements(f *testing.F) {
	f.Add("2 elements of type [3]float64", 24, 48)
	f.Add("2 elements of type int", 3, 6)
	f.Add("2 private elements of type [3]main.Kelvin ([3]float64)", 24, 48)
	f.Fuzz(func(t *testing.T, kind string, element, bytes int) {
		if element < 1 || bytes < 0 || bytes%element != 0 {
			return // package checkpoint refuses these
		}
		e, err := elementsOf(fagus.SavedArray{Kind: kind, Element: element, Bytes: bytes})
		if err == nil && e.Count*e.Inside*e.Number.Bytes != bytes {
			t.Errorf("%q, %d, %d: %+v", kind, element, bytes, e)
		}
	})
}
