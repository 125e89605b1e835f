package golang

import "testing"

// TestIntervals: an interval is within itself, and within none that lacks one of its ends.
func TestIntervals(t *testing.T) {
	for _, bound := range []interval{{-128, 127}, {0, 5}, {-3, -1}} {
		if !bound.within(bound) || bound.within(interval{bound.lo + 1, bound.hi}) || bound.within(interval{bound.lo, bound.hi - 1}) {
			t.Errorf("%+v is not just within itself", bound)
		}
	}
}
