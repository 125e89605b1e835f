package golang

import "testing"

// TestIdempotent: combining a value with itself gives the value for these operators, and for no
// others: then every rank may begin with what a reduced array had before.
func TestIdempotent(t *testing.T) {
	for op, want := range map[string]bool{
		"+": false, "*": false, "^": false, "-": false, "&": true, "|": true, "&&": true, "||": true,
		"max": true, "min": true, "math.Max": true, "math.Min": true, "<": true, ">": true,
	} {
		if idempotent(op) != want {
			t.Errorf("%s is idempotent: %t, want %t", op, !want, want)
		}
	}
}

// TestIntervals: an interval is within itself, and within none that lacks one of its ends.
func TestIntervals(t *testing.T) {
	for _, bound := range []interval{{-128, 127}, {0, 5}, {-3, -1}} {
		if !bound.within(bound) || bound.within(interval{bound.lo + 1, bound.hi}) || bound.within(interval{bound.lo, bound.hi - 1}) {
			t.Errorf("%+v is not just within itself", bound)
		}
	}
}
