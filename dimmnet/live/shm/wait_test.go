//go:build linux

package shm

import (
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestWaitBegins checks that a thread that has posted, or has been woken, begins another wait: it
// polls before it announces again that it may sleep.
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
