//go:build linux

package shm

import (
	"runtime"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestWaitBegins checks that a thread that has posted, or was woken, begins another wait: it polls
// before it announces again that it may sleep.
func TestWaitBegins(t *testing.T) {
	r, ports := newTestRun(t, 2)
	if r.Crowded() {
		t.Skip("the ranks have no processor each")
	}
	p := ports[0]
	sleepy := func() (mark dimmnet.Mark) {
		t.Helper()
		for begun := time.Now(); time.Since(begun) < time.Minute; {
			if mark = p.Arrivals(); mark != dimmnet.Awake {
				return mark
			}
			p.Idle(mark)
		}
		t.Fatal("the thread polls for a minute")
		return 0
	}
	polls := func(after string) {
		t.Helper()
		for range pollsPerTime {
			if mark := p.Arrivals(); mark != dimmnet.Awake {
				t.Fatalf("after %s, the thread announces at once that it may sleep", after)
			}
			p.Idle(dimmnet.Awake)
		}
		if p.announces {
			t.Errorf("after %s, the thread goes on with the wait of before", after)
		}
	}
	mark := sleepy()
	ports[1].Store(0, 0, 1, word)
	p.Idle(mark)
	polls("it was woken")
	sleepy()
	p.Store(1, 0, 1, word)
	polls("a Store")
	sleepy()
	p.Write(1, 64, make([]byte, word))
	polls("a Write")
}

// TestInTheWay checks that a thread sleeps after its first polls if another rank has waited on its
// processor. It goes on polling if that was another processor, or if the rank has not waited yet.
func TestInTheWay(t *testing.T) {
	r, ports := newTestRun(t, 2)
	if r.Crowded() || processor() == 0 {
		t.Skip("the ranks have no processor each, or it is not known which")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := ports[1]
	for _, c := range []struct {
		title  string
		waited func(here uint32) (processor uint32)
		sleeps bool
	}{
		{"the same processor", func(here uint32) uint32 { return here }, true},
		{"another processor", func(here uint32) uint32 { return here + 1 }, false},
		{"no processor yet", func(uint32) uint32 { return 0 }, false},
	} {
		for try := 1; ; try++ {
			here := processor()
			r.segments[0].processor.Store(c.waited(here))
			p.progress()
			for range pollsPerTime {
				p.Idle(dimmnet.Awake)
			}
			if processor() == here && r.segments[1].processor.Load() == here {
				break
			}
			if try == 100 {
				t.Fatal("the scheduler moves the thread again and again")
			}
		}
		if p.announces != c.sleeps {
			t.Errorf("rank 0 has waited on %s: rank 1 sleeps: %t, want %t", c.title, p.announces, c.sleeps)
		}
	}
}
