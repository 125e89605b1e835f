package stream

import (
	"testing"
	"time"
)

// TestCourtesy checks that a thread yields again and again while yields are short, that it leaves
// out ever more of them after long ones, and that it forgets these in the end.
func TestCourtesy(t *testing.T) {
	var c courtesy
	skipped := func(d time.Duration) (n int) {
		c.took(d)
		for !c.due() {
			if n++; n > mostLeftOut {
				t.Fatalf("%d yields are left out, want at most %d", n, mostLeftOut)
			}
		}
		return n
	}
	const most = 800
	for range 100 {
		if n := skipped(longYield - 1); n != 0 || c.reads(most) != most {
			t.Fatalf("%d yields are left out after a short one, and Idle reads %d times", n, c.reads(most))
		}
	}
	want := leastLeftOut
	for range 12 {
		if n := skipped(longYield); n != want {
			t.Errorf("%d yields are left out after a long one, want %d", n, want)
		}
		want = min(2*want, mostLeftOut)
	}
	if got := c.reads(most); got != readsPerWake || c.reads(3) != 3 {
		t.Errorf("Idle reads %d times after long yields, want %d; where threads are many, %d times, want 3", got, readsPerWake, c.reads(3))
	}
	for shorts := 0; c.reads(most) != most; shorts++ {
		if n := skipped(0); n > 0 || shorts > 20 {
			t.Fatalf("%d yields are left out after %d short ones", n, shorts)
		}
	}
}
