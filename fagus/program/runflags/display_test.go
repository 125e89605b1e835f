package runflags

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// at is the progress of a run whose slowest rank is 3.
func at(done, of int64) rollcall.Progress {
	return rollcall.Progress{Nodes: 4, Ranks: 4, Done: done, Of: of, Slowest: 3, SlowestDone: done - 1, SlowestOf: of}
}

// TestPace: the rate is that of the stage, and another stage begins when the work does.
func TestPace(t *testing.T) {
	begun := time.Unix(1000, 0)
	p := newPace("sor", begun)
	for _, tt := range []struct {
		after      time.Duration
		done, of   int64
		want, line string
	}{
		{time.Second, 10, 1000, "sor: 1 % (10 of 1000) after 1s; slowest: rank 3 at 0 %", ""},
		{121 * time.Second, 410, 1000, "sor: 41 % (410 of 1000) after 2m1s, 3.33/s, 2m57s left; slowest: rank 3 at 40 %", ""},
		{122 * time.Second, 410, 1000, "sor: 41 % (410 of 1000) after 2m2s, 3.31/s, 2m58s left; slowest: rank 3 at 40 %", ""},
		{130 * time.Second, 5, 1000, "sor: 0 % (5 of 1000) after 2m10s; slowest: rank 3 at 0 %", ""},
		{131 * time.Second, 505, 1000, "sor: 50 % (505 of 1000) after 2m11s, 500/s, 990ms left; slowest: rank 3 at 50 %", ""},
		{132 * time.Second, 1000000, 9000000, "sor: 11 % (1000000 of 9000000) after 2m12s; slowest: rank 3 at 11 %", ""},
		{134 * time.Second, 9000000, 9000000, "sor: 100 % (9000000 of 9000000) after 2m14s, 4M/s, 0s left; slowest: rank 3 at 99 %", ""},
	} {
		e := p.event(begun.Add(tt.after), at(tt.done, tt.of))
		if got := e.String(); got != tt.want {
			t.Errorf("after %v: %q, want %q", tt.after, got, tt.want)
		}
		var back ProgressEvent
		line := e.line()
		if err := json.Unmarshal([]byte(line), &back); err != nil || strings.Count(line, "\n") != 1 || back.Done != tt.done || back.Slowest.Rank != 3 || (back.PerSecond == nil) != (e.PerSecond == nil) {
			t.Errorf("after %v: the document is %q, %v", tt.after, line, err)
		}
	}
}

// TestBar: a bar has as much as fits, and never more.
func TestBar(t *testing.T) {
	begun := time.Unix(1000, 0)
	p := newPace("sor", begun)
	p.event(begun, at(10, 1000))
	e := p.event(begun.Add(2*time.Minute), at(410, 1000))
	for width, want := range map[int]string{
		120: "sor [================                        ] 41 % (410/1000), 3.33/s, 2m57s left; slowest: rank 3 at 40 %",
		79:  "sor [====        ] 41 % (410/1000), 3.33/s, 2m57s left; slowest: rank 3 at 40 %",
		40:  "sor [=======           ] 41 % (410/1000)",
		20:  "sor 41 % (410/1000)",
		0:   "",
	} {
		if got := e.bar(width); got != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
	for width := range 200 {
		if got := e.bar(width); len(got) > width {
			t.Errorf("%d columns: %q has %d", width, got, len(got))
		}
	}
}

// screen is what a terminal has got.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// await waits until the screen has a text.
func (s *screen) await(t *testing.T, text string) {
	t.Helper()
	for begun := time.Now(); !strings.Contains(s.String(), text); time.Sleep(time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("the screen has %q, want %q", s, text)
		}
	}
}

// drawing returns a display that draws bars on w.
func drawing(w *screen) *display {
	d := &display{to: w, pace: newPace("sor", time.Now()), stays: true}
	d.text = func(e *ProgressEvent) string { return "BAR" + percent(e.Fraction) }
	return d.start()
}

// TestDisplay: a bar gives way to lines, and is gone at the end. Lines of ranks go above it, and
// what rank 0 sends is not among them.
func TestDisplay(t *testing.T) {
	w := new(screen)
	d := drawing(w)
	r := &receiver{d}
	var sent strings.Builder
	send(&sent, at(410, 1000))
	for _, text := range []string{"0: " + sent.String() + "1: hello\n", "1: \x1b_fagus-progress {}\x1b\\\n"} {
		if n, err := r.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
	}
	w.await(t, clearLine+"BAR41 %")
	d.show(at(450, 1000)) // the lines may have taken the place of the first bar
	w.await(t, clearLine+"BAR45 %")
	if _, err := r.Write([]byte("0: line\n")); err != nil {
		t.Fatal(err)
	}
	send(&sent, at(2, 1))
	d.show(at(500, 1000))
	w.await(t, "BAR50 %")
	d.end()
	d.end()
	d.show(at(600, 1000))
	got := w.String()
	if !strings.HasSuffix(got, clearLine) || strings.Contains(got, "60 %") || strings.Contains(got, sentBegin+`{"N`) {
		t.Errorf("the screen has %q", got)
	}
	if !strings.Contains(got, "1: hello\n") || !strings.Contains(got, clearLine+"0: line\n") {
		t.Errorf("lines are missing in %q", got)
	}
}

// stuck is a terminal that is stopped.
type stuck struct{}

func (stuck) Write([]byte) (int, error) { select {} }

// TestDisplayStuck: neither who says how far the run is nor its end waits for a terminal.
func TestDisplayStuck(t *testing.T) {
	d := &display{to: stuck{}, pace: newPace("sor", time.Now())}
	d.text = func(e *ProgressEvent) string { return e.String() }
	d.start()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for i := range int64(100) {
			d.show(at(i, 100))
		}
		d.end()
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("a stopped terminal stops the run")
	}
}

// TestReceived: what a rank prints that is no progress stays what it is.
func TestReceived(t *testing.T) {
	for text, want := range map[string]bool{
		sentBegin + `{"Nodes":2,"Ranks":2,"Done":1,"Of":2,"SlowestDone":1,"SlowestOf":2}` + sentEnd: true,
		"3: " + sentBegin + `{"Nodes":2,"Done":1,"Of":2,"SlowestDone":1,"SlowestOf":2}` + sentEnd:   true,
		sentBegin + `{"Nodes":2,"Done":3,"Of":2}` + sentEnd:                                         false,
		sentBegin + `{"Nodes":2,"Done":-3,"Of":2}` + sentEnd:                                        false,
		sentBegin + `{"Nodes":"x"}` + sentEnd:                                                       false,
		sentBegin + "\n":                                                                            false,
		"x" + sentBegin + `{"Nodes":2,"Done":1,"Of":2,"SlowestDone":1,"SlowestOf":2}` + sentEnd:     false,
		"hello\n": false,
	} {
		if _, ok := received([]byte(text)); ok != want {
			t.Errorf("%q is progress: %v", text, ok)
		}
	}
}
