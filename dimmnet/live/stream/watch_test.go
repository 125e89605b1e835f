package stream

import (
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// rhythm implements Beats. The test sets the results of Heard.
type rhythm struct {
	sent  int
	heard []uint64
}

func (r *rhythm) Send()                          { r.sent++ }
func (r *rhythm) Receive()                       {}
func (r *rhythm) Heard(rank dimmnet.Rank) uint64 { return r.heard[rank] }
func (r *rhythm) Close()                         {}

// newWatch returns the watch of rank 0, its beats, and by rank the pipes from the other ranks.
func newWatch(nodes int) (*watch, *rhythm, []*pipe) {
	l := &Links{Streams: make([]Stream, nodes), Near: make([]bool, nodes)}
	in := make([]*pipe, nodes)
	own := make(bell, 1)
	for rank := 1; rank < nodes; rank++ {
		in[rank] = &pipe{reader: own}
		l.Streams[rank] = pipes{in: in[rank], out: &pipe{reader: own}}
	}
	beats := &rhythm{heard: make([]uint64, nodes)}
	l.Poll, l.Beats = &pipePoll{bell: own, streams: l.Streams}, beats
	cfg := Config{Network: "pipes", Limits: dimmnet.Limits{LLCM: 64, Block: 64}, Joining: 20 * checkTime, Stall: 10 * checkTime}
	return newNode(&run{cfg: cfg, load: newLoad()}, 0, l).newWatch(), beats, in
}

// checkOften calls check a number of times. Each of ranks sends a beat before every check.
func (w *watch) checkOften(times int, beats *rhythm, ranks ...int) error {
	for range times {
		for _, rank := range ranks {
			beats.heard[rank]++
		}
		w.check(checkTime)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the run fails with %v, want an error with %q", err, part)
		}
	}
}

// TestSilence checks that a rank is lost when it has been silent for Stall, and not before.
func TestSilence(t *testing.T) {
	w, beats, _ := newWatch(3)
	if err := w.checkOften(50, beats, 1, 2); err != nil {
		t.Error(err)
	}
	for range 3 { // silences shorter than Stall
		if err := w.checkOften(9, beats, 2); err != nil {
			t.Error(err)
		}
		if err := w.checkOften(1, beats, 1, 2); err != nil {
			t.Error(err)
		}
	}
	wantError(t, w.checkOften(10, beats, 2), "rank 1 is gone", time.Second.String())
}

// TestNoBeatYet checks that a rank may be silent for Joining before its first beat.
func TestNoBeatYet(t *testing.T) {
	w, beats, _ := newWatch(3)
	if err := w.checkOften(19, beats, 1); err != nil {
		t.Error(err)
	}
	wantError(t, w.checkOften(1, beats, 1), "rank 2 is gone", "datagrams")
}

// TestCutOff checks that a rank that hears none of several peers reports its own host.
func TestCutOff(t *testing.T) {
	w, beats, _ := newWatch(3)
	if err := w.checkOften(1, beats, 1, 2); err != nil {
		t.Error(err)
	}
	wantError(t, w.checkOften(10, beats), "rank 0 has heard of no other")
	w, beats, _ = newWatch(2) // of two ranks, neither can know which one is cut off
	if err := w.checkOften(1, beats, 1); err != nil {
		t.Error(err)
	}
	wantError(t, w.checkOften(10, beats), "rank 1 is gone")
}

// TestLastFrames checks that a silent rank is not lost if it has sent a goodbye, and that a
// failure that it has sent counts, even if no thread has read these frames.
func TestLastFrames(t *testing.T) {
	w, beats, in := newWatch(3)
	if err := w.checkOften(1, beats, 1, 2); err != nil {
		t.Error(err)
	}
	in[1].b = new(frames).add(goodbye, 0, 0, nil).b
	if err := w.checkOften(20, beats, 2); err != nil {
		t.Error(err)
	}
	in[2].b = new(frames).add(failure, 0, 0, append([]byte{2, 0}, "boom"...)).b
	wantError(t, w.checkOften(10, beats), "rank 2 failed: boom")
}

// TestHungUp checks that the next check notices the end of a stream, even if no thread reads.
func TestHungUp(t *testing.T) {
	w, beats, in := newWatch(3)
	in[2].end()
	wantError(t, w.checkOften(1, beats, 1, 2), "rank 2 is gone")
}
