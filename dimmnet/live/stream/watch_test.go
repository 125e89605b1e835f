package stream

import (
	"errors"
	"fmt"
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
	return newNode(&run{cfg: cfg, load: newLoad(), start: time.Now()}, 0, l).newWatch(), beats, in
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
	return w.fault.err
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
	wantError(t, w.checkOften(1, beats, 1), "rank 2 is gone", "no sign of life")
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

// TestLastFrames checks that a silent rank is not lost if it has sent a goodbye, and that its
// report of a failure counts, even if no thread has read these frames.
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

// TestStreamBeats checks that a rank whose datagrams do not arrive counts as alive as long as its
// frames arrive, and that the user is told once.
func TestStreamBeats(t *testing.T) {
	w, beats, in := newWatch(3)
	var warnings []string
	w.shared.cfg.Warn = func(s string) { warnings = append(warnings, s) }
	sent := new(frames)
	for range 20 {
		sent.b = nil
		in[1].b = sent.add(alive, 1, 0, nil).b
		if err := w.checkOften(9, beats, 2); err != nil {
			t.Fatal(err)
		}
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "no datagram from rank 1 has reached rank 0") {
		t.Errorf("warnings %q, want one about rank 1", warnings)
	}
	wantError(t, w.checkOften(10, beats, 2), "rank 1 is gone", "no sign of life")
}

// TestDeafPeers checks which ranks get signs of life through the stream: ranks whose datagrams do
// not arrive, and ranks at which this rank's datagrams do not arrive.
func TestDeafPeers(t *testing.T) {
	w, beats, in := newWatch(4)
	sent := func(rank int) string {
		out := w.peers[rank].stream.(pipes).out
		defer func() { out.b = nil }()
		if len(out.b) == 0 {
			return "nothing"
		}
		return fmt.Sprintf("%v %d", kind(out.b[2]), out.b[3])
	}
	step := func(want ...string) {
		t.Helper()
		w.send()
		for i, text := range want {
			if got := sent(i + 1); got != text {
				t.Errorf("rank %d gets %s, want %s", i+1, got, text)
			}
		}
	}
	step("nothing", "nothing", "nothing")
	if err := w.checkOften(5, beats, 2, 3); err != nil {
		t.Fatal(err)
	}
	step("alive 0", "nothing", "nothing") // the datagrams of rank 1 do not arrive
	from2 := new(frames)
	in[2].b = from2.add(alive, 0, 0, nil).b // rank 0's datagrams do not arrive at rank 2
	w.serveOne(w.peers[2])
	step("alive 0", "alive 1", "nothing")
	from2.b = nil
	in[2].b = from2.add(alive, 1, 0, nil).b // now they do
	w.serveOne(w.peers[2])
	beats.heard[1]++
	w.check(checkTime)
	step("nothing", "nothing", "nothing")
	in[3].b = new(frames).add(goodbye, 0, 0, nil).b
	w.serveOne(w.peers[3])
	if err := w.checkOften(5, beats, 1, 2); err != nil {
		t.Fatal(err)
	}
	step("nothing", "nothing", "nothing") // rank 3 has ended
}

// TestPause checks that a process that was stopped blames itself, or the rank that its peers have
// blamed, and no peer that has given it up. It blames a peer that it has heard since.
func TestPause(t *testing.T) {
	const pause = 3 * time.Second
	w, beats, in := newWatch(3)
	if err := w.checkOften(1, beats, 1, 2); err != nil {
		t.Error(err)
	}
	beats.heard[1]++ // a beat from before the pause
	w.noticePause(pause)
	in[1].end()
	wantError(t, w.checkOften(1, beats), "rank 0 was stopped for 3s", "rank 1 has ended")

	w, beats, in = newWatch(3)
	w.noticePause(pause)
	in[1].end()
	in[2].b = new(frames).add(failure, 0, 0, append([]byte{0, 0}, "it was silent"...)).b
	wantError(t, w.checkOften(1, beats), "rank 0 failed: it was silent")

	w, beats, _ = newWatch(3)
	w.noticePause(pause)
	w.lost(1, errors.New("it has gone"))
	wantError(t, w.checkOften(1, beats), "rank 0 was stopped for 3s", "it has gone")

	w, beats, in = newWatch(3)
	w.noticePause(pause)
	if err := w.checkOften(1, beats, 1, 2); err != nil {
		t.Error(err)
	}
	in[1].end()
	wantError(t, w.checkOften(1, beats, 2), "rank 1 is gone")

	w, beats, in = newWatch(3) // the watch has had no turn since the pause
	w.watched.Store(int64(time.Since(w.shared.start)))
	w.shared.start = w.shared.start.Add(-pause)
	in[2].end()
	w.serveAll()
	wantError(t, w.checkOften(1, beats), "rank 0 was stopped for 3", "rank 2 has ended")
}
