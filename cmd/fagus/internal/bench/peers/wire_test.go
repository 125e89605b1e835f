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
