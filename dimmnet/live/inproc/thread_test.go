package inproc_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// unset waits for an event that no thread sets.
func unset(h dimmnet.Host) error { return h.NewEvent().Wait() }

// TestDeadlockNamesThreads checks that the error lists the waiting threads, by rank and then in
// the order of their start, whichever of them falls asleep last.
func TestDeadlockNamesThreads(t *testing.T) {
	const want = "inproc: deadlock: ranks [0 0:receive 0:process 2:receive] wait and nothing is in flight"
	for i := range 300 {
		err := inproc.New(inproc.Config{LLCM: 64}).Run(t.Context(), 3, func(h dimmnet.Host) error {
			passing := h.NewEvent()
			h.Go("passing", func(dimmnet.Host) error { passing.Set(); return nil })
			if h.Port().Rank() != 1 {
				h.Go("receive", never)
			}
			for range (i + 7*int(h.Port().Rank())) % 20 {
				h.Port().Store(0, 8, 1, 8)
				runtime.Gosched()
			}
			if err := passing.Wait(); err != nil || h.Port().Rank() != 0 {
				return err
			}
			h.Go("process", unset)
			return unset(h)
		})
		if err == nil || err.Error() != want {
			t.Fatalf("run %d: %v, want %s", i, err, want)
		}
	}
}

// TestNoFalseDeadlockOfEvents passes a turn around threads by events. At most one thread is awake,
// and that thread is about to set the next thread's event.
func TestNoFalseDeadlockOfEvents(t *testing.T) {
	const threads, turns = 5, 20000
	err := inproc.New(inproc.Config{LLCM: 64}).Run(t.Context(), 1, func(h dimmnet.Host) error {
		var turn [threads]dimmnet.Event
		for i := range turn {
			turn[i] = h.NewEvent()
		}
		for i := range turn {
			h.Go("ring", func(dimmnet.Host) error {
				for range turns / threads {
					if err := turn[i].Wait(); err != nil {
						return err
					}
					turn[(i+1)%threads].Set()
				}
				return nil
			})
		}
		turn[0].Set()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestThreadEnds checks that the error names the thread that failed.
func TestThreadEnds(t *testing.T) {
	boom := errors.New("boom")
	for want, f := range map[string]func(dimmnet.Host) error{
		"boom": func(dimmnet.Host) error { return boom },
		"inproc: rank 1:odd called runtime.Goexit": func(dimmnet.Host) error { runtime.Goexit(); return nil },
		"inproc: rank 1:odd panicked: 4711\n":      func(dimmnet.Host) error { panic(4711) },
	} {
		err := inproc.New(inproc.Config{}).Run(t.Context(), 2, func(h dimmnet.Host) error {
			if h.Port().Rank() == 1 {
				h.Go("odd", f)
			}
			err := unset(h)
			if want == "boom" && err.Error() != "inproc: rank 1:odd failed: boom" {
				t.Errorf("Wait returned %v, want the failure of 1:odd", err)
			}
			return err
		})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Run returned %v, want %s", err, want)
		}
	}
}

// TestMisuseOfThreads checks the panics when two threads wait for one event, and when a thread
// that has returned starts another.
func TestMisuseOfThreads(t *testing.T) {
	err := inproc.New(inproc.Config{}).Run(t.Context(), 1, func(h dimmnet.Host) error {
		e := h.NewEvent()
		for range 2 {
			h.Go("waits", func(dimmnet.Host) error { return e.Wait() })
		}
		return never(h)
	})
	if want := "inproc: rank 0:waits panicked: inproc: two threads of rank 0 wait for one event"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("Run returned %v, want %s", err, want)
	}
	var late dimmnet.Host
	if err := inproc.New(inproc.Config{}).Run(t.Context(), 1, func(h dimmnet.Host) error { late = h; return nil }); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if v := recover(); v != "inproc: rank 0 starts a thread after it has returned" {
			t.Errorf("starting a thread after the end: panic %v, want that the rank has returned", v)
		}
	}()
	late.Go("late", never)
}

// TestPatienceOfThreads checks that Patience applies to threads in Idle and in Wait as it does to
// bodies, and that Run names the threads that it leaves behind.
func TestPatienceOfThreads(t *testing.T) {
	for want, f := range map[string]func(dimmnet.Host) error{
		"inproc: ranks [0:computes] have not returned 5s after the failure: inproc: rank 0:sleeps has waited 1h0m0s and nothing arrived":                      never,
		"inproc: ranks [0:computes] have not returned 5s after the failure: inproc: a thread of rank 0 has waited 1h0m0s for an event that no thread has set": unset,
	} {
		synctest.Test(t, func(t *testing.T) {
			err := inproc.New(inproc.Config{}).Run(t.Context(), 1, func(h dimmnet.Host) error {
				h.Go("sleeps", f)
				h.Go("computes", func(dimmnet.Host) error { time.Sleep(2 * time.Hour); return nil })
				return nil
			})
			if err == nil || err.Error() != want {
				t.Errorf("Run returned %v, want %s", err, want)
			}
			time.Sleep(2 * time.Hour) // the thread that Run has left behind returns
		})
	}
}

// BenchmarkEvents measures a round trip between a body and a thread of its node.
func BenchmarkEvents(b *testing.B) {
	err := inproc.New(inproc.Config{}).Run(b.Context(), 1, func(h dimmnet.Host) error {
		ping, pong := h.NewEvent(), h.NewEvent()
		over := false
		h.Go("pong", func(dimmnet.Host) error {
			for {
				if err := ping.Wait(); err != nil || over {
					return err
				}
				pong.Set()
			}
		})
		for b.Loop() {
			ping.Set()
			if err := pong.Wait(); err != nil {
				return err
			}
		}
		over = true
		ping.Set()
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
