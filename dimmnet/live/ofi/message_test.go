package ofi

import (
	"bytes"
	"strings"
	"testing"
)

// encode returns the message with the given parts, as fabric.send builds it.
func encode(h header, e exposure, rest []byte) []byte {
	b := h.append(nil)
	if h.kind == offer {
		b = e.append(b)
	}
	return append(b, rest...)
}

// TestMessage checks that each kind of message decodes to its parts.
func TestMessage(t *testing.T) {
	for k := data; k < kinds; k++ {
		h := header{token: 0x0102030405060708, source: 0x0a0b, kind: k, credits: 0x0c0d}
		var e exposure
		var rest []byte
		switch k {
		case data:
			rest = []byte("stream")
		case offer:
			e, rest = exposure{address: 1 << 63, key: 2, n: 1<<64 - 1}, []byte("s")
		}
		gotHeader, gotExposure, gotRest, err := decode(encode(h, e, rest))
		if err != nil || gotHeader != h || gotExposure != e || !bytes.Equal(gotRest, rest) {
			t.Errorf("%v: decoded %+v, %+v, %q, %v: want %+v, %+v, %q", k, gotHeader, gotExposure, gotRest, err, h, e, rest)
		}
	}
}

// TestMessageErrors checks that messages that no rank sends are refused.
func TestMessageErrors(t *testing.T) {
	changed := func(k kind, rest string, at int, to byte) []byte {
		b := encode(header{kind: k}, exposure{n: 1}, []byte(rest))
		b[at] = to
		return b
	}
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"nothing", nil, "0 bytes"},
		{"half a header", make([]byte, headerBytes-1), "want at least 16"},
		{"kind 0", changed(beat, "", 10, 0), "header"},
		{"unknown kind", changed(beat, "", 10, byte(kinds)), "header"},
		{"byte 11", changed(beat, "", 11, 1), "header"},
		{"byte 14", changed(beat, "", 14, 1), "header"},
		{"byte 15", changed(beat, "", 15, 1), "header"},
		{"short offer", encode(header{kind: offer}, exposure{n: 1}, nil)[:headerBytes+exposureBytes-1], "an offer of 23 bytes"},
		{"offer of nothing", encode(header{kind: offer}, exposure{address: 1, key: 1}, nil), "no memory"},
		{"data without bytes", encode(header{kind: data}, exposure{}, nil), "0 bytes of the stream"},
		{"credit with bytes", encode(header{kind: credit}, exposure{}, []byte("x")), "kind credit with 1 bytes"},
		{"taken with bytes", encode(header{kind: taken}, exposure{}, []byte("x")), "kind taken"},
		{"end with bytes", encode(header{kind: end}, exposure{}, []byte("x")), "kind end"},
		{"beat with bytes", encode(header{kind: beat}, exposure{}, []byte("x")), "kind beat"},
	} {
		if _, _, _, err := decode(c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
	if got := kinds.String(); got != "kind 7" {
		t.Errorf("an unknown kind is %q", got)
	}
}

// FuzzMessage checks that a message that decodes also encodes to the same bytes, and that no other
// is accepted.
func FuzzMessage(f *testing.F) {
	for k := data; k < kinds; k++ {
		f.Add(encode(header{1, 2, k, 3}, exposure{4, 5, 6}, nil))
		f.Add(encode(header{1, 2, k, 3}, exposure{4, 5, 6}, []byte("bytes")))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, e, rest, err := decode(b)
		if err != nil {
			return
		}
		if got := encode(h, e, rest); !bytes.Equal(got, b) {
			t.Errorf("% x decodes and encodes to % x", b, got)
		}
	})
}
