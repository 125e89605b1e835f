package codec_test

import (
	"bytes"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/parts/codec"
)

// FuzzDecode decodes bytes as values of many types. A value that is decoded, and encoded again,
// has bytes that give the same value.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{3, 1, 'a', 1, 'b', 0, 0, 2, 1})
	f.Add(bytes.Repeat([]byte{1}, 100))
	f.Add(bytes.Repeat([]byte{255}, 20))
	if c, err := codec.Of[record](); err != nil {
		f.Fatal(err)
	} else if b, err := c.Append(nil, record{Name: "x", Counts: map[string][]int32{"a": {1}}, More: []record{{Flags: []bool{true}}}}); err == nil {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		again[record](t, b)
		again[*tree](t, b)
		again[map[string]map[padded][]bool](t, b)
		again[[]secret](t, b)
		again[[][0]string](t, b)
		again[map[struct{}]string](t, b)
		again[[][][1000]string](t, b)
		again[[]any](t, b)
	})
}

func again[T any](t *testing.T, b []byte) {
	c, err := codec.Of[T]()
	if err != nil {
		t.Fatal(err)
	}
	v, _, err := c.Decode(b)
	if err != nil {
		return
	}
	first, err := c.Append(nil, v)
	if err != nil {
		t.Fatalf("%x is %#v, which cannot be encoded: %v", b, v, err)
	}
	w, err := c.DecodeAll(first)
	if err != nil {
		t.Fatalf("%x is %#v, encoded as %x, which cannot be decoded: %v", b, v, first, err)
	}
	if second, err := c.Append(nil, w); err != nil || !bytes.Equal(first, second) {
		t.Fatalf("%x is %#v, with the bytes %x; these are %#v, with the bytes %x, %v", b, v, first, w, second, err)
	}
}
