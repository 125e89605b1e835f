package npb_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/npb"
)

// TestRandom: numbers are between 0 and 1, and skipping is the same as drawing.
func TestRandom(t *testing.T) {
	drawn := npb.Random(314159265)
	for n := range uint64(2000) {
		if skipped := npb.Random(314159265).Skip(n); skipped != drawn {
			t.Fatalf("after %d numbers the state is %d, want %d", n, skipped, drawn)
		}
		if x := drawn.Next(); x <= 0 || x >= 1 {
			t.Fatalf("number %d is %g", n, x)
		}
	}
}

// TestParseClass: letters of both cases, and nothing else.
func TestParseClass(t *testing.T) {
	for name, want := range map[string]npb.Class{"S": npb.S, "w": npb.W, "A": npb.A, "": 0, "B": 0, "SW": 0, "ä": 0} {
		if got, err := npb.ParseClass(name); got != want || (err == nil) != (want != 0) {
			t.Errorf("class %q is %v, %v", name, got, err)
		}
	}
}
