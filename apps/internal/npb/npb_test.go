package npb_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
)

// TestRandom checks that numbers lie between 0 and 1, and that Skip(n) equals n calls of Next.
func TestRandom(t *testing.T) {
	drawn := npb.Random(314159265)
	for n := range uint64(2000) {
		if skipped := npb.Random(314159265).Skip(n); skipped != drawn {
			t.Fatalf("after %d numbers the state is %d, want %d", n, skipped, drawn)
		}
		if x := drawn.Next(); x <= 0 || x >= 1 {
			t.Fatalf("number %d is %g, want one between 0 and 1", n, x)
		}
	}
}

// TestParseClass checks that exactly the letters of the classes are accepted, in both cases.
func TestParseClass(t *testing.T) {
	for name, want := range map[string]npb.Class{"S": npb.S, "w": npb.W, "A": npb.A, "b": npb.B, "C": npb.C, "": 0, "D": 0, "SW": 0, "ä": 0} {
		if got, err := npb.ParseClass(name); got != want || (err == nil) != (want != 0) {
			t.Errorf("class %q is %v, %v", name, got, err)
		}
	}
}

// TestFill: Fill and Next return the same numbers, and leave the same state.
func TestFill(t *testing.T) {
	for length := range 14 {
		one, all := npb.Random(314159265).Skip(uint64(length)), npb.Random(314159265).Skip(uint64(length))
		x := make([]float64, length)
		all.Fill(x)
		for i := range x {
			if want := one.Next(); x[i] != want {
				t.Errorf("number %d of %d is %v, want %v", i, length, x[i], want)
			}
		}
		if one != all {
			t.Errorf("after %d numbers the state is %d, want %d", length, all, one)
		}
	}
}
