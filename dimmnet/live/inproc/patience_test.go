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

// TestPatience checks that the run fails when a thread has slept for Patience without an arrival,
// and not before. Rank 1 computes; ranks 0 and 2 wait.
func TestPatience(t *testing.T) {
	for _, c := range []struct {
		patience, want time.Duration
		text           string
	}{
		{0, time.Hour, "inproc: rank 2 has waited 1h0m0s and nothing arrived"},
		{10 * time.Minute, 10 * time.Minute, "inproc: rank 2 has waited 10m0s and nothing arrived"},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			err := inproc.New(inproc.Config{Patience: c.patience}).Run(t.Context(), 3, func(h dimmnet.Host) error {
				p := h.Port()
				if p.Rank() != 1 {
					return never(h)
				}
				// Rank 0 gets an arrival every minute to the end, rank 2 only for 10 minutes.
				for i := range 10 {
					time.Sleep(time.Minute)
					p.Store(0, 64, uint64(i), 8)
					p.Store(2, 64, uint64(i), 8)
				}
				for p.Err() == nil && time.Since(start) < 10*time.Hour {
					time.Sleep(time.Second)
					p.Store(0, 64, 0, 8)
				}
				return nil
			})
			if err == nil || err.Error() != c.text {
				t.Errorf("Run returned %v, want %s", err, c.text)
			}
			if took := time.Since(start).Round(time.Minute); took != 10*time.Minute+c.want {
				t.Errorf("Run took %v, want %v", took, 10*time.Minute+c.want)
			}
		})
	}
}

// TestPollEnds checks that a thread stops polling after Config.Poll, so a deadlock is detected.
func TestPollEnds(t *testing.T) {
	const poll = 20 * time.Millisecond
	start := time.Now()
	err := inproc.New(inproc.Config{Poll: poll}).Run(t.Context(), 2, never)
	if err == nil || !strings.Contains(err.Error(), "deadlock") {
		t.Errorf("Run returned %v, want a deadlock", err)
	}
	if took := time.Since(start); took < poll {
		t.Errorf("Run took %v, want at least %v", took, poll)
	}
}

// TestPollNoticesFailure checks that a thread that polls notices the failure of the run.
func TestPollNoticesFailure(t *testing.T) {
	boom := errors.New("boom")
	err := inproc.New(inproc.Config{Poll: 2 * time.Second, Grace: time.Second}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		if h.Port().Rank() == 1 {
			return never(h)
		}
		time.Sleep(20 * time.Millisecond) // rank 1 polls by now
		return boom
	})
	if err != boom {
		t.Errorf("Run returned %v, want %v", err, boom)
	}
}

// TestGrace checks that Run waits for Grace for bodies that do not use their port, and then names
// them.
func TestGrace(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		grace, want time.Duration
		text        string
	}{
		{0, 5 * time.Second, "inproc: ranks [0 2] have not returned 5s after the failure: inproc: rank 1 failed: boom"},
		{time.Minute, time.Minute, "inproc: ranks [0 2] have not returned 1m0s after the failure: inproc: rank 1 failed: boom"},
		{time.Hour, 10 * time.Minute, "boom"},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			err := inproc.New(inproc.Config{Grace: c.grace}).Run(t.Context(), 4, func(h dimmnet.Host) error {
				switch h.Port().Rank() {
				case 1:
					return boom
				case 3:
					return never(h)
				}
				time.Sleep(10 * time.Minute)
				return nil
			})
			if !errors.Is(err, boom) || err.Error() != c.text {
				t.Errorf("Run returned %v, want %s", err, c.text)
			}
			if took := time.Since(start); took != c.want {
				t.Errorf("Run took %v, want %v", took, c.want)
			}
			time.Sleep(time.Hour) // the bodies that Run has left behind return
		})
	}
}

// TestLeftBehind checks that a body may call its port and return an error after its run.
func TestLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan bool)
		err := inproc.New(inproc.Config{}).Run(t.Context(), 2, func(h dimmnet.Host) error {
			if h.Port().Rank() == 1 {
				runtime.Goexit()
			}
			<-over
			if h.Port().Store(1, 0, 1, 8) {
				t.Error("a post after the run succeeds")
			}
			return never(h)
		})
		if err == nil {
			t.Error("Run returned nil, want the failure of rank 1")
		}
		close(over)
		synctest.Wait()
	})
}
