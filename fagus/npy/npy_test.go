package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"slices"
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
			for _, space := range []string{"", " ", "\n\t ", " # }'\n"} {
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
		if err == nil && got != want || err != nil && !strings.Contains(err.Error(), want) {
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
		if err == nil && h.Type.String() != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %s", text, h.Type, err, want)
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
		if got, err := Read(bytes.NewReader(b)); err != nil || !reflect.DeepEqual(got, h) || len(b)%align != 0 {
			t.Errorf("%+v: %d bytes, %+v, %v", h, len(b), got, err)
		}
		r, err := library.NewReader(bytes.NewReader(b))
		if err != nil || r.Header.Descr.Type != h.Type.String() || r.Header.Descr.Fortran != h.Fortran || !slices.Equal(r.Header.Descr.Shape, h.Shape) {
			t.Errorf("%+v: npyio reads %+v, %v", h, r, err)
		}
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
