package verify_test

import (
	"math"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// TestExcess checks that errors are measured in units of their tolerance.
func TestExcess(t *testing.T) {
	near := verify.Check{Got: 1.5, Want: 1, Tolerance: 1}
	same := verify.Check{Got: 3, Want: 3}
	for _, c := range []struct {
		checks []verify.Check
		want   float64
	}{
		{nil, math.Inf(1)},
		{[]verify.Check{near}, 0.5},
		{[]verify.Check{same}, 0},
		{[]verify.Check{same, near}, 0.5},
		{[]verify.Check{{Got: 3, Want: 1, Tolerance: 1}, near}, 2},
		{[]verify.Check{near, {Got: 4, Want: 3}}, math.Inf(1)},
		{[]verify.Check{{Got: math.NaN(), Want: 3, Tolerance: 1}}, math.Inf(1)},
		{[]verify.Check{{Got: 0.5, Want: 0, Tolerance: 1}}, 0.5},
	} {
		r := verify.Result{Checks: c.checks}
		if got := r.Excess(); got != c.want {
			t.Errorf("%v: %g, want %g", c.checks, got, c.want)
		}
	}
}

// TestBits checks that every bit of the computed numbers changes the hash, and that reference
// values do not.
func TestBits(t *testing.T) {
	of := func(a, b, want float64) uint64 {
		r := verify.Result{Checks: []verify.Check{{Got: a, Want: want}, {Got: b}}}
		return r.Bits()
	}
	if of(1, 2, 3) != of(1, 2, 4) {
		t.Error("the hash depends on the reference value")
	}
	for _, other := range []uint64{of(1, math.Nextafter(2, 3), 3), of(math.Nextafter(1, 0), 2, 3), of(2, 1, 3)} {
		if other == of(1, 2, 3) {
			t.Error("the hash ignores a changed number")
		}
	}
}
