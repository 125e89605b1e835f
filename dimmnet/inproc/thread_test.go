package inproc_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
)

// unset waits for an event that nobody sets.
func unset(h dimmnet.Host) error { return h.NewEvent().Wait() }

// TestDeadlockNamesThreads: the error has the threads that wait, by rank and then
// as they started, whoever comes last.
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

// TestNoFalseDeadlockOfEvents: the one thread that is awake is always about to set
// the event of another.
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

// TestThreadEnds: what ends a thread names it.
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
				t.Errorf("Wait: %v", err)
			}
			return err
		})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestMisuseOfThreads: two threads that wait for one event, and a thread started
// by one that has returned, are panics.
func TestMisuseOfThreads(t *testing.T) {
	err := inproc.New(inproc.Config{}).Run(t.Context(), 1, func(h dimmnet.Host) error {
		e := h.NewEvent()
		for range 2 {
			h.Go("waits", func(dimmnet.Host) error { return e.Wait() })
		}
		return never(h)
	})
	if want := "inproc: rank 0:waits panicked: inproc: two threads of rank 0 wait for one event"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	var late dimmnet.Host
	if err := inproc.New(inproc.Config{}).Run(t.Context(), 1, func(h dimmnet.Host) error { late = h; return nil }); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if v := recover(); v != "inproc: rank 0 has returned and starts a thread" {
			t.Errorf("panic %v", v)
		}
	}()
	late.Go("late", never)
}

// TestPatienceOfThreads: one that sleeps in Idle or in Wait while another computes
// gives up as a body does, and Run names those left behind.
func TestPatienceOfThreads(t *testing.T) {
	for want, f := range map[string]func(dimmnet.Host) error{
		"inproc: ranks [0:computes] have not returned 5s after this: inproc: rank 0:sleeps has waited 1h0m0s and nothing arrived":                 never,
		"inproc: ranks [0:computes] have not returned 5s after this: inproc: a thread of rank 0 has waited 1h0m0s for an event and nobody set it": unset,
	} {
		synctest.Test(t, func(t *testing.T) {
			err := inproc.New(inproc.Config{}).Run(t.Context(), 1, func(h dimmnet.Host) error {
				h.Go("sleeps", f)
				h.Go("computes", func(dimmnet.Host) error { time.Sleep(2 * time.Hour); return nil })
				return nil
			})
			if err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
			time.Sleep(2 * time.Hour) // those left behind return
		})
	}
}

// BenchmarkEvents is a round trip between a body and a thread of its node.
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
