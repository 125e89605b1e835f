package experiment

import (
	"slices"
	"testing"
)

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

// TestLines: what a program says of its progress is none of its lines.
func TestLines(t *testing.T) {
	const text = "0: one\n1: {\"schema\":\"fagus.progress/v1\",\"program\":\"x\"}\n{\"schema\":\"fagus.progress/v1\"}\r\ntwo\n"
	if got := linesOf(text, true); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("the lines are %q", got)
	}
}
