package peers

import (
	"testing"
)

// FuzzCommand: a valid command is the same after formatting and parsing it again.
func FuzzCommand(f *testing.F) {
	for _, line := range []string{"barrier 0 1", "stream 4096 12\n", "x -1 1", "x 1 0", "x 1", "", "x 99999999999999999999 1"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		c, err := parseCommand(line)
		if err != nil {
			return
		}
		if again, err := parseCommand(c.String()); err != nil || again != c || c.Count < 1 || c.Size < 0 {
			t.Errorf("%q is %+v, and then %+v, %v", line, c, again, err)
		}
	})
}

// TestCommand: parseCommand accepts a valid line and rejects invalid lines.
func TestCommand(t *testing.T) {
	if c, err := parseCommand("stream 4096 12\n"); err != nil || c != (Command{"stream", 4096, 12}) {
		t.Errorf("%+v, %v", c, err)
	}
	for _, line := range []string{"", "x 1", "x -1 1", "x 1 0", "x y 1", "x 1 1 1"} {
		if c, err := parseCommand(line); err == nil {
			t.Errorf("%q is %+v", line, c)
		}
	}
}

// TestTail writes more bytes than a tail keeps.
func TestTail(t *testing.T) {
	var l tail
	for range tailBytes {
		if n, err := l.Write([]byte("word ")); n != 5 || err != nil {
			t.Fatal(n, err)
		}
	}
	if _, err := l.Write([]byte("last\n")); err != nil {
		t.Fatal(err)
	}
	if s := l.String(); len(s) != tailBytes-1 || s[len(s)-9:] != "word last" {
		t.Errorf("%d bytes, the end is %q", len(s), s[len(s)-9:])
	}
}
