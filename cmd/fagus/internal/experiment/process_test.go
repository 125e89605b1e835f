package experiment

import "testing"

// TestTail writes more bytes than a tail keeps.
func TestTail(t *testing.T) {
	var l Tail
	for range mostTail {
		if n, err := l.Write([]byte("word ")); n != 5 || err != nil {
			t.Fatal(n, err)
		}
	}
	if _, err := l.Write([]byte("last\n")); err != nil {
		t.Fatal(err)
	}
	if s := l.String(); len(s) != mostTail-1 || s[len(s)-9:] != "word last" {
		t.Errorf("%d bytes, the end is %q", len(s), s[len(s)-9:])
	}
}
