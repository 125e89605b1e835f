package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	library "github.com/sbinet/npyio/npy"
)

// file returns a version of a file with a dictionary.
func file(version byte, dict string) []byte {
	b := append([]byte(magic), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(dict)))
	}
	return append(b, dict...)
}

// TestHeaders reads one header as many writers might write it: every order of the keys, with every
// kind of quotes and space, in every version, with and without what is optional.
func TestHeaders(t *testing.T) {
	want := Header{Type{'f', 8, false}, true, []int{2, 3}}
	read := 0
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		for _, quote := range []string{"'", `"`} {
			for _, space := range []string{"", " ", "\n\t ", "\r\n\f", " # }'\n"} {
				for _, shape := range []string{"(2,3)", "(2, 3,)", "( 2 ,3L )"} {
					for _, end := range []string{"}", ",}", ", }   \n", ",}\n"} {
						items := []string{quote + "descr" + quote + space + ":" + space + quote + "<f8" + quote, quote + "fortran_order" + quote + ":" + space + "True", quote + "shape" + quote + ":" + space + shape}
						dict := space + "{" + space + items[order[0]] + space + "," + space + items[order[1]] + "," + items[order[2]] + space + end
						for version := byte(1); version <= 3; version++ {
							r := bytes.NewReader(append(file(version, dict), "elements"...))
							h, err := Read(r)
							if rest, _ := io.ReadAll(r); err != nil || !reflect.DeepEqual(h, want) || string(rest) != "elements" {
								t.Fatalf("version %d, %q: %+v, %v, then %q", version, dict, h, err, rest)
							}
							read++
						}
					}
				}
			}
		}
	}
	t.Log(read, "headers")
}

func TestShapes(t *testing.T) {
	for text, want := range map[string]string{
		"()": "[] 1", "( )": "[] 1", "(7,)": "[7] 7", "(7)": "[7] 7", "(0,)": "[0] 0", "(2, 0, 3)": "[2 0 3] 0", "(3L, 2L)": "[3 2] 6", "(3L,)": "[3] 3",
		"(9223372036854775807, 0)": "[9223372036854775807 0] 0", "(1000,)": "[1000] 1000", "(1001,)": "more", "(4294967296, 4294967296)": "more", "(2, 9223372036854775807)": "more",
		"(-1,)": "whole", "(,)": "whole", "(2,,3)": "whole", "(2 3)": "comma", "[2, 3]": "brackets", "2": "brackets", "(2.0,)": "comma", "(0x2,)": "comma", "(03,)": "whole",
		"(9223372036854775808,)": "whole", "(2": "comma", "(2,": "whole", "('2',)": "whole", "None": "brackets",
	} {
		h, err := Read(bytes.NewReader(file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': "+text+"}")))
		got := fmt.Sprint(h.Shape)
		if err == nil {
			var n int
			n, err = h.Count(1000)
			got += fmt.Sprint(" ", n)
		}
		valid := want[0] == '[' // otherwise want is an error
		if valid != (err == nil) || valid && got != want || !valid && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
}

func TestTypes(t *testing.T) {
	native := "<"
	if nativeBig() {
		native = ">"
	}
	for text, want := range map[string]string{
		"'<f8'": "<f8", "'>f8'": ">f8", "'=f8'": native + "f8", "'|f8'": native + "f8", "'f8'": native + "f8", "'<f4'": "<f4", "'>i2'": ">i2", "'|b1'": "|b1", "'?'": "|b1",
		"'<b1'": "|b1", "'>u1'": "|u1", "'|i1'": "|i1", "'<c16'": "<c16", "'float64'": native + "f8", "'uint8'": "|u1", "'bool'": "|b1", "'complex128'": native + "c16",
		"u'<f8'": "<f8", `b"<f8"`: "<f8", "'<f2'": "<f2",
		"'|O'": "objects", "'O'": "objects", "'<U5'": "texts", "'|S3'": "texts", "'<M8[ns]'": "dates", "'|V16'": "bytes without", "'<f7'": "unknown", "'<b2'": "unknown", "'f'": "unknown",
		"'<f8,<i4'": "unknown", "''": "unknown", "'<f999'": "unknown", "'int7'": "unknown",
		"[('x', '<f8'), ('y', '<i4')]": "records", "('<f8', (2,))": "records", "{'names': ['x']}": "records",
		"<f8": "quotes", "'<f8": "unknown", `'<f8"`: "unknown", `'\x3cf8'`: "quotes", "": "quotes", "uu'<f8'": "quotes",
	} {
		h, err := Read(bytes.NewReader(file(1, "{'fortran_order': False, 'descr': "+text+", 'shape': (1,)}")))
		// Otherwise want is an error, which may quote a type.
		valid := strings.ContainsAny(want[:1], "<>|")
		if valid != (err == nil) || valid && h.Type.String() != want || !valid && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %s", text, h.Type, err, want)
		}
	}
}

// TestSizes: of each kind of number, the sizes that NumPy has are read, and no others.
func TestSizes(t *testing.T) {
	for kind, sizes := range map[byte][]int{'b': {1}, 'i': {1, 2, 4, 8}, 'u': {1, 2, 4, 8}, 'f': {2, 4, 8, 12, 16}, 'c': {8, 16, 24, 32}, 'V': nil} {
		for size := range 100 {
			for _, order := range []string{"<", ">"} {
				text := fmt.Sprintf("%s%c%d", order, kind, size)
				h, err := Read(bytes.NewReader(file(1, "{'fortran_order': False, 'descr': '"+text+"', 'shape': (1,)}")))
				if has := slices.Contains(sizes, size); has != (err == nil) || has && (h.Type != Type{kind, size, order == ">" && size > 1}) {
					t.Errorf("%s: %+v, %v; want it read: %t", text, h.Type, err, has)
				}
			}
		}
	}
	for name, sizes := range map[string][]int{"float": {16, 32, 64, 96, 128}, "int": {8, 16, 32, 64}, "uint": {8, 16, 32, 64}, "complex": {64, 128, 192, 256}} {
		for bits := range 300 {
			h, err := Read(bytes.NewReader(file(1, fmt.Sprintf("{'fortran_order': False, 'descr': '%s%d', 'shape': (1,)}", name, bits))))
			if has := slices.Contains(sizes, bits); has != (err == nil) || has && (h.Type.Kind != name[0] || h.Type.Bytes != bits/8) {
				t.Errorf("%s%d: %+v, %v; want it read: %t", name, bits, h.Type, err, has)
			}
		}
	}
}

// TestLongestHeader: a dictionary of 64 KiB is read, and one with a byte more is not. One that
// fits the length field of version 1 is always read: NumPy writes it for many dimensions.
func TestLongestHeader(t *testing.T) {
	const dict = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
	for _, c := range []struct {
		version byte
		bytes   int
		read    bool
	}{
		{1, 1 << 9, true}, {1, 1<<9 + 1, true}, {1, 1<<16 - 1, true},
		{2, 1<<16 - 1, true}, {2, 1 << 16, true}, {2, 1<<16 + 1, false}, {3, 1 << 16, true}, {3, 1<<16 + 1, false}, {3, 1<<32 - 1, false},
	} {
		b := file(c.version, dict+strings.Repeat(" ", min(c.bytes, 1<<17)-len(dict)))
		if c.version > 1 {
			binary.LittleEndian.PutUint32(b[len(magic)+2:], uint32(c.bytes))
		}
		_, err := Read(bytes.NewReader(b))
		if c.read && err != nil || !c.read && (err == nil || !strings.Contains(err.Error(), "want at most 65536")) {
			t.Errorf("version %d, a dictionary of %d bytes: %v; want it read: %t", c.version, c.bytes, err, c.read)
		}
	}
}

// TestCount: Count permits as many elements as its argument says, and no more.
func TestCount(t *testing.T) {
	for _, c := range []struct {
		shape []int
		most  int
		want  int // -1: an error
	}{
		{nil, 1, 1}, {[]int{6}, 6, 6}, {[]int{7}, 6, -1}, {[]int{2, 3}, 6, 6}, {[]int{2, 3}, 7, 6}, {[]int{2, 3}, 5, -1}, {[]int{0}, 0, 0}, {[]int{1}, 0, -1},
		{[]int{math.MaxInt}, math.MaxInt, math.MaxInt}, {[]int{1 << 32, 1 << 31}, math.MaxInt, -1}, {[]int{1 << 32, 1 << 32}, math.MaxInt, -1},
	} {
		if n, err := (Header{Shape: c.shape}).Count(c.most); c.want < 0 && err == nil || c.want >= 0 && (err != nil || n != c.want) {
			t.Errorf("%v, at most %d: %d, %v, want %d", c.shape, c.most, n, err, c.want)
		}
	}
}

// TestKinds: TypeOf knows every kind of number that Go has, and nothing else.
func TestKinds(t *testing.T) {
	for _, c := range []struct {
		of   any
		want string
	}{
		{false, "b1"}, {int8(0), "i1"}, {int16(0), "i2"}, {int32(0), "i4"}, {int64(0), "i8"}, {uint8(0), "u1"}, {uint16(0), "u2"}, {uint32(0), "u4"}, {uint64(0), "u8"},
		{float32(0), "f4"}, {float64(0), "f8"}, {complex64(0), "c8"}, {complex128(0), "c16"},
		{0, fmt.Sprint("i", strconv.IntSize/8)}, {uint(0), fmt.Sprint("u", strconv.IntSize/8)},
		{uintptr(0), ""}, {"", ""}, {[1]int{}, ""}, {struct{}{}, ""}, {new(int), ""},
	} {
		got, err := TypeOf(reflect.TypeOf(c.of))
		if text := got.String(); (err == nil) != (c.want != "") || err == nil && text[1:] != c.want || err == nil && got.Big != (nativeBig() && got.Bytes > 1) {
			t.Errorf("%T: %s, %v, want %q", c.of, text, err, c.want)
		}
	}
}

func TestBadHeaders(t *testing.T) {
	const good = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
	for _, c := range []struct{ from, to, want string }{
		{"{", "", "begin of a dictionary"},
		{"}", "", "a text in quotes"},
		{", }", "} x", "nothing after the dictionary"},
		{"'descr'", "'order'", `the key "order"`},
		{"'descr': '<f8', ", "", `lacks the key "descr"`},
		{"'shape': (2, 3), ", "", `lacks the key "shape"`},
		{"'fortran_order': False, ", "", `lacks the key "fortran_order"`},
		{"'fortran_order'", "'descr': '<f4', 'fortran_order'", `the key "descr"`},
		{"False", "0", "True or False"},
		{"False", "Falsehood", "comma or }"},
		{"False,", "False", "comma or }"},
		{"'shape':", "'shape'", "a colon"},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		if _, err := Read(bytes.NewReader(file(1, text))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", text, err, c.want)
		}
	}
	all := file(2, good)
	for cut := range all {
		if _, err := Read(bytes.NewReader(all[:cut])); err == nil || !strings.Contains(err.Error(), "EOF") {
			t.Errorf("cut after %d bytes: %v", cut, err)
		}
	}
	for _, version := range []byte{0, 4, 255} {
		if _, err := Read(bytes.NewReader(file(version, good))); err == nil || !strings.Contains(err.Error(), "want 1, 2 or 3") {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

// TestAppend: what Append writes, Read and npyio read.
func TestAppend(t *testing.T) {
	for _, h := range []Header{
		{Type{'f', 8, false}, false, []int{2, 3}}, {Type{'i', 4, true}, true, []int{7}}, {Type{'b', 1, false}, false, []int{}}, {Type{'u', 2, false}, false, []int{1, 2, 3}},
	} {
		b := h.Append(nil)
		if got, err := Read(bytes.NewReader(b)); err != nil || !reflect.DeepEqual(got, h) || len(b)%64 != 0 {
			t.Errorf("%+v: %d bytes, %+v, %v", h, len(b), got, err)
		}
		r, err := library.NewReader(bytes.NewReader(b))
		if err != nil || r.Header.Descr.Type != h.Type.String() || r.Header.Descr.Fortran != h.Fortran || !slices.Equal(r.Header.Descr.Shape, h.Shape) {
			t.Errorf("%+v: npyio reads %+v, %v", h, r, err)
		}
	}
}

// TestAlign: the elements begin at the next multiple of 64 bytes, however long the dictionary is.
func TestAlign(t *testing.T) {
	h := Header{Type: Type{'f', 8, false}}
	seen := map[int]bool{}
	for range 70 {
		for _, first := range []int{1, 10} {
			h.Shape = append([]int{first}, h.Shape[min(1, len(h.Shape)):]...)
			b := h.Append(nil)
			blanks := len(b) - len(bytes.TrimRight(b, " \n"))
			if len(b)%64 != 0 || blanks < 1 || blanks > 64 || b[len(b)-1] != '\n' {
				t.Errorf("shape %v: %d bytes, of which the last %d are blank", h.Shape, len(b), blanks)
			}
			seen[blanks] = true
		}
		h.Shape = append(h.Shape, 1)
	}
	if !seen[1] || !seen[64] {
		t.Errorf("blanks at the end: %v; want 1 and 64 to occur", seen)
	}
}

func TestToNative(t *testing.T) {
	for _, c := range []struct {
		t    Type
		want string
	}{{Type{'u', 1, false}, "abcdefgh"}, {Type{'f', 8, nativeBig()}, "abcdefgh"}, {Type{'f', 8, !nativeBig()}, "hgfedcba"}, {Type{'i', 2, !nativeBig()}, "badcfehg"}, {Type{'c', 8, !nativeBig()}, "dcbahgfe"}} {
		b := []byte("abcdefgh")
		if c.t.ToNative(b); string(b) != c.want {
			t.Errorf("%v: %q, want %q", c.t, b, c.want)
		}
	}
}

// FuzzRead: whatever Read accepts, Append writes so that Read and Count find the same.
func FuzzRead(f *testing.F) {
	for _, dict := range []string{
		"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", `{"shape": (3L,), "descr": "|b1", "fortran_order": True}`,
		"{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': ()}", "'shape': }'fortran_order': 'descr': ", "{'shape': (99999999999, 99999999999)}",
	} {
		f.Add(byte(1), dict)
	}
	f.Fuzz(func(t *testing.T, version byte, dict string) {
		h, err := Read(bytes.NewReader(file(version, dict)))
		if err != nil {
			return
		}
		again, err := Read(bytes.NewReader(h.Append(nil)))
		if err != nil || !reflect.DeepEqual(h, again) {
			t.Fatalf("%q: %+v, and again %+v, %v", dict, h, again, err)
		}
		if n, err := h.Count(1 << 40); err == nil && (n < 0 || n > 1<<40) {
			t.Fatalf("%q: %d elements", dict, n)
		}
	})
}
