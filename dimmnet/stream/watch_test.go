package stream

import (
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// rhythm are beats of which a test says what is heard.
type rhythm struct {
	sent  int
	heard []uint64
}

func (r *rhythm) Send()                          { r.sent++ }
func (r *rhythm) Listen()                        {}
func (r *rhythm) Heard(rank dimmnet.Rank) uint64 { return r.heard[rank] }
func (r *rhythm) Close()                         {}

// newWatch is rank 0 of some, and a pipe from each other.
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
	cfg := Config{Network: "pipes", Limits: dimmnet.Limits{LLCM: 64, Block: 64}, Joining: 20 * beatTime, Stall: 10 * beatTime}
	return newNode(&crew{cfg: cfg, load: newLoad()}, 0, l).newWatch(), beats, in
}

// lookOften looks so often, and hears these ranks each time.
func (w *watch) lookOften(times int, beats *rhythm, ranks ...int) error {
	for range times {
		for _, rank := range ranks {
			beats.heard[rank]++
		}
		w.look(beatTime)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the run fails with %v, want %q in it", err, part)
		}
	}
}

// TestSilence: who is silent for as long as Stall is named, and nobody before.
func TestSilence(t *testing.T) {
	w, beats, _ := newWatch(3)
	if err := w.lookOften(50, beats, 1, 2); err != nil {
		t.Error(err)
	}
	for range 3 { // silences that are short enough
		if err := w.lookOften(9, beats, 2); err != nil {
			t.Error(err)
		}
		if err := w.lookOften(1, beats, 1, 2); err != nil {
			t.Error(err)
		}
	}
	wantError(t, w.lookOften(10, beats, 2), "rank 1 is gone", time.Second.String())
}

// TestNoBeatYet: before the first beat a rank has as long as Joining.
func TestNoBeatYet(t *testing.T) {
	w, beats, _ := newWatch(3)
	if err := w.lookOften(19, beats, 1); err != nil {
		t.Error(err)
	}
	wantError(t, w.lookOften(1, beats, 1), "rank 2 is gone", "datagrams")
}

// TestCutOff: who hears nobody of several blames himself.
func TestCutOff(t *testing.T) {
	w, beats, _ := newWatch(3)
	if err := w.lookOften(1, beats, 1, 2); err != nil {
		t.Error(err)
	}
	wantError(t, w.lookOften(10, beats), "rank 0 has heard of no other")
	w, beats, _ = newWatch(2) // which of two is cut off nobody knows
	if err := w.lookOften(1, beats, 1); err != nil {
		t.Error(err)
	}
	wantError(t, w.lookOften(10, beats), "rank 1 is gone")
}

// TestLastWords: a rank that is silent is not blamed for its silence if it has said why
// it is, nor if it has said goodbye, though nobody has read that.
func TestLastWords(t *testing.T) {
	w, beats, in := newWatch(3)
	if err := w.lookOften(1, beats, 1, 2); err != nil {
		t.Error(err)
	}
	in[1].b = new(frames).add(goodbye, 0, 0, nil).b
	if err := w.lookOften(20, beats, 2); err != nil {
		t.Error(err)
	}
	in[2].b = new(frames).add(failure, 0, 0, append([]byte{2, 0}, "boom"...)).b
	wantError(t, w.lookOften(10, beats), "rank 2 failed: boom")
}

// TestHungUp: an end of a stream is found by the next look, though nobody reads.
func TestHungUp(t *testing.T) {
	w, beats, in := newWatch(3)
	in[2].end()
	wantError(t, w.lookOften(1, beats, 1, 2), "rank 2 is gone")
}
