package npb_test

import (
	"math"
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

// TestExcess: an error counts in units of what is tolerated.
func TestExcess(t *testing.T) {
	near := npb.Check{Got: 1.5, Want: 1, Tolerance: 1}
	same := npb.Check{Got: 3, Want: 3}
	for _, c := range []struct {
		checks []npb.Check
		want   float64
	}{
		{nil, math.Inf(1)},
		{[]npb.Check{near}, 0.5},
		{[]npb.Check{same}, 0},
		{[]npb.Check{same, near}, 0.5},
		{[]npb.Check{{Got: 3, Want: 1, Tolerance: 1}, near}, 2},
		{[]npb.Check{near, {Got: 4, Want: 3}}, math.Inf(1)},
		{[]npb.Check{{Got: math.NaN(), Want: 3, Tolerance: 1}}, math.Inf(1)},
		{[]npb.Check{{Got: 0.5, Want: 0, Tolerance: 1}}, 0.5},
	} {
		r := npb.Result{Checks: c.checks}
		if got := r.Excess(); got != c.want {
			t.Errorf("%v: %g, want %g", c.checks, got, c.want)
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
