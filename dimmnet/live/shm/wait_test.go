//go:build linux

package shm

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet/live/cpuset"
)

// TestAdapt checks that a slow wake-up makes the next wait poll for as long, that quick ones
// shorten it step by step, and that a time of another process's making stays within the bounds.
func TestAdapt(t *testing.T) {
	for _, c := range []struct{ spin, took, want time.Duration }{
		{firstSpin, 3 * time.Millisecond, 3 * time.Millisecond},
		{firstSpin, time.Hour, mostSpin},
		{mostSpin, 0, mostSpin * 7 / 8},
		{8 * time.Millisecond, 4 * time.Millisecond, 7500 * time.Microsecond},
		{leastSpin, -time.Hour, leastSpin},
		{firstSpin, firstSpin, firstSpin},
	} {
		if got := adapt(c.spin, c.took); got != c.want {
			t.Errorf("polling %v, woken after %v: %v, want %v", c.spin, c.took, got, c.want)
		}
	}
}

// TestRanksLeaveAProcessor has two ranks wait on one processor: the second moves to another one,
// and may use all of them afterwards.
func TestRanksLeaveAProcessor(t *testing.T) {
	own := cpuset.Own()
	if own.Count() < 2 {
		t.Skip("the process may use one processor only")
	}
	r, ports := newTestRun(t, 2)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for try := 1; ; try++ {
		here := processor()
		r.segments[0].processor.Store(here)
		p := ports[1]
		p.idles, p.moved = checkEvery, -moveEvery
		p.check(false)
		if processor() != here {
			break
		}
		if try == 100 {
			t.Fatalf("rank 1 stays on processor %d, where rank 0 waits", here-1)
		}
	}
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil || allowed.Count() != own.Count() {
		t.Errorf("the thread may use %d processors, want %d (%v)", allowed.Count(), own.Count(), err)
	}
}
