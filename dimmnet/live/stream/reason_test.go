package stream

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestLongReason checks that the first bytes of a long reason reach the peers, and that the rank
// that fails returns the whole reason.
func TestLongReason(t *testing.T) {
	boom := errors.New("boom " + strings.Repeat("x", 3000))
	var shown error
	err := pipework{sums: SumAll}.Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 0 {
			return boom
		}
		shown = dimmnet.Drive(p, still{}, func() bool { return false })
		return nil
	})
	if !errors.Is(err, boom) {
		t.Errorf("Run returned %v, want the whole reason", err)
	}
	var f *dimmnet.Failed
	if !errors.As(shown, &f) || f.Rank != 0 || f.Why != boom.Error()[:failureBytes] {
		t.Errorf("rank 1 fails with %v, want the first %d bytes of the reason of rank 0", shown, failureBytes)
	}
}

// TestPanicReason checks that the peers of a rank that panics get the first line without the stack,
// and that the rank itself returns the stack.
func TestPanicReason(t *testing.T) {
	const want = "pipes: rank 0 panicked: boom"
	var shown error
	err := pipework{sums: SumAll}.Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 0 {
			panic("boom\nand more")
		}
		shown = dimmnet.Drive(p, still{}, func() bool { return false })
		return nil
	})
	if err == nil || !strings.HasPrefix(err.Error(), want+"\nand more\n") || !strings.Contains(err.Error(), "reason_test.go:") {
		t.Errorf("Run returned %v, want the panic and its stack", err)
	}
	var f *dimmnet.Failed
	if !errors.As(shown, &f) || f.Rank != 0 || f.Why != want {
		t.Errorf("rank 1 fails with %v, want only %q", shown, want)
	}
}

// TestGone checks that the loss of a rank is still a loss after its report has passed all ranks,
// even at the lost rank. The failure of a program is still a failure.
func TestGone(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name  string
		fail  func(w *watch, beats *rhythm)
		blame dimmnet.Rank
		gone  bool
		why   string // the reason that the peers of rank 0 get
	}{
		{"own error", func(w *watch, _ *rhythm) { w.fail(0, boom, boom) }, 0, false, "boom"},
		{"own process was stopped", func(w *watch, _ *rhythm) { w.failPaused(time.Second, 1, boom) }, 0, true, "was stopped for 1s"},
		{"own host is cut off", func(w *watch, beats *rhythm) {
			_ = w.checkOften(1, beats, 1, 2)
			_ = w.checkOften(10, beats)
		}, 0, true, "rank 0 has heard of no other"},
		{"peer is silent", func(w *watch, beats *rhythm) {
			_ = w.checkOften(1, beats, 1, 2)
			_ = w.checkOften(10, beats, 2)
		}, 1, true, "its process has shown no sign of life"},
		{"peer has ended", func(w *watch, _ *rhythm) { w.lost(1, boom) }, 1, true, "boom"},
	} {
		w, beats, _ := newWatch(3)
		c.fail(w, beats)
		if dimmnet.IsGone(w.fault.err) != c.gone {
			t.Errorf("%s: rank 0 fails with %v, a loss: %v, want %v", c.name, w.fault.err, !c.gone, c.gone)
		}
		report := w.peers[2].stream.(pipes).out.b
		if !strings.Contains(string(report), c.why) || strings.Contains(string(report), "is gone") {
			t.Errorf("%s: the peers get %q, want %q", c.name, report, c.why)
		}
		// Another rank gets the report, and so does the blamed one if it is not rank 0.
		for _, self := range []dimmnet.Rank{2, c.blame} {
			if self == 0 {
				continue
			}
			peer := newNode(&run{cfg: w.shared.cfg, load: newLoad(), start: time.Now()}, self, linksOf(3, self, report))
			peer.serveAll()
			var f *dimmnet.Failed
			if !errors.As(peer.fault.err, &f) || f.Rank != c.blame || dimmnet.IsGone(peer.fault.err) != c.gone || (f.Lost != nil) != c.gone || (f.Why == "") != c.gone {
				t.Errorf("%s: rank %d fails with %v (%+v), want rank %d, a loss: %v", c.name, self, peer.fault.err, f, c.blame, c.gone)
			}
		}
	}
}

// linksOf returns the links of a rank to which rank 0 has sent bytes.
func linksOf(nodes int, self dimmnet.Rank, sent []byte) *Links {
	own := make(bell, 1)
	l := &Links{Streams: make([]Stream, nodes), Near: make([]bool, nodes)}
	for rank := range nodes {
		if dimmnet.Rank(rank) != self {
			l.Streams[rank] = pipes{in: &pipe{reader: own}, out: &pipe{reader: own}}
		}
	}
	l.Streams[0].(pipes).in.b = sent
	l.Poll = &pipePoll{bell: own, streams: l.Streams}
	return l
}

// closeRecorder is a Stream that records the argument of Close.
type closeRecorder struct {
	pipes
	gone *bool
}

func (s closeRecorder) Close(gone bool) {
	*s.gone = gone
	s.pipes.Close(gone)
}

// TestGoneByReport checks that the end of a run does not wait for a rank whose failure another
// rank reported: its stream remains open, and no frame arrives from it.
func TestGoneByReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, in := newWatch(3)
		n := w.node
		var gone [3]bool
		for rank := 1; rank < 3; rank++ {
			q := n.peers[rank]
			q.stream = closeRecorder{q.stream.(pipes), &gone[rank]}
		}
		in[1].b = new(frames).add(failure, 0, 0, append([]byte{2, 0}, "boom"...)).b
		n.serveAll()
		in[1].end()
		p := n.newPort("")
		n.enter(p)
		n.leave(p, nil, nil)
		begun := time.Now()
		n.settle()
		n.close()
		var f *dimmnet.Failed
		if !errors.As(n.fault.err, &f) || f.Rank != 2 || f.Why != "boom" {
			t.Errorf("the run fails with %v, want that rank 2 failed", n.fault.err)
		}
		if took := time.Since(begun); took >= closingTime {
			t.Errorf("the run ends after %v, want at once", took)
		}
		if gone != [3]bool{2: true} {
			t.Errorf("the streams are closed as those of ranks that are gone: %v, want rank 2", gone)
		}
	})
}
