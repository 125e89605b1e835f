package rollcall

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// entry is the entry of a rank that has done so much.
func entry(done, of int64) Entry { return Entry{Done: done, Of: of} }

// TestProgressOfRun: steps that all ranks make are counted once, and own parts add up.
func TestProgressOfRun(t *testing.T) {
	for what, tt := range map[string]struct {
		ranks []Entry
		want  Progress
	}{
		"nobody reports": {[]Entry{{}, {}}, Progress{Nodes: 2}},
		"the same steps": {[]Entry{entry(10, 100), entry(13, 100)}, Progress{2, 2, 11, 100, 0, 10, 100}},
		"own parts":      {[]Entry{entry(10, 100), entry(5, 300)}, Progress{2, 2, 15, 400, 1, 5, 300}},
		"one reports":    {[]Entry{{}, entry(5, 300), {}}, Progress{3, 1, 5, 300, 1, 5, 300}},
		"much":           {[]Entry{entry(0, math.MaxInt64), entry(0, math.MaxInt64-1)}, Progress{2, 2, 0, 1 << 62, 0, 0, math.MaxInt64}},
	} {
		if got := (Roll{Ranks: tt.ranks}).Progress(); got != tt.want {
			t.Errorf("%s: %+v, want %+v", what, got, tt.want)
		}
	}
}

// TestProgressReports: only the default gives way to the program's own reports, and what is
// reported is never out of its range.
func TestProgressReports(t *testing.T) {
	var m Monitor
	for _, tt := range []struct {
		own              bool
		done, of         int64
		wantDone, wantOf int64
	}{
		{false, 1, 4, 1, 4},
		{false, 9, 4, 4, 4},
		{true, -2, 7, 0, 7},
		{false, 3, 4, 0, 7},
		{true, 5, 0, 0, 0},
		{true, 5, -3, 0, 0},
	} {
		report := m.DefaultProgress
		if tt.own {
			report = m.Progress
		}
		report(tt.done, tt.of)
		if done, of, own := m.progress.load(); done != tt.wantDone || of != tt.wantOf || tt.own && !own {
			t.Errorf("after %+v: %d of %d", tt, done, of)
		}
	}
}

// TestProgressLine: ranks that are equally far are one group, and the slowest come first.
func TestProgressLine(t *testing.T) {
	r := Roll{Ranks: []Entry{entry(430, 1000), entry(410, 1000), entry(430, 1000), {}, entry(1, 2)}}
	const want = "progress: rank 1: 41 % (410 of 1000); ranks 0, 2: 43 % (430 of 1000); rank 4: 50 % (1 of 2)\n"
	if got := r.progressLine(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for i := range 20 {
		r.Ranks = append(r.Ranks, entry(int64(60+i), 100))
	}
	if got := r.progressLine(); len(got) > 400 || !strings.HasSuffix(got, "; others up to 79 %\n") {
		t.Errorf("of many ranks: %q", got)
	}
	if got := (Roll{Ranks: make([]Entry, 3)}).progressLine(); got != "" {
		t.Errorf("of none: %q", got)
	}
}

// TestWatchProgress: a Board passes on the progress of its ranks and of those that it asks, while
// they compute, and stops at Close even though another process does not answer.
func TestWatchProgress(t *testing.T) {
	var mu sync.Mutex
	var last Progress
	asked := false
	only := 0
	b := Open(Config{After: -1, Every: time.Millisecond, Progress: func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		last = p
	}}, About{Nodes: 2, Only: &only, Ask: func(ctx context.Context, of []dimmnet.Rank) map[int]Entry {
		mu.Lock()
		first := !asked
		asked = true
		mu.Unlock()
		if first {
			<-ctx.Done() // the other process computes, or is stopped
			return nil
		}
		return map[int]Entry{1: entry(7, 10)}
	}})
	b.Monitor(0).DefaultProgress(3, 10)
	want := Progress{Nodes: 2, Ranks: 2, Done: 5, Of: 10, Slowest: 0, SlowestDone: 3, SlowestOf: 10}
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		mu.Lock()
		got := last
		mu.Unlock()
		if got == want {
			break
		}
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("the progress is %+v, want %+v", got, want)
		}
	}
	b.Close()
	mu.Lock()
	last = Progress{}
	mu.Unlock()
	time.Sleep(10 * time.Millisecond)
	mu.Lock()
	defer mu.Unlock()
	if last != (Progress{}) {
		t.Error("progress is passed on after Close")
	}
}

// BenchmarkProgress measures a report of progress: of many small parts of the work, and of one
// large part.
func BenchmarkProgress(b *testing.B) {
	for what, of := range map[string]int64{"small": 1 << 40, "large": 100} {
		b.Run(what, func(b *testing.B) {
			var m Monitor
			for i := int64(0); b.Loop(); i++ {
				m.Progress(i&63, of)
			}
		})
	}
}

// TestOwnProgress: what a program reports on some ranks counts, not what loops report on others.
func TestOwnProgress(t *testing.T) {
	r := Roll{Ranks: []Entry{{Done: 0, Of: 200}, {Done: 150, Of: 200, Own: true}, {Done: 0, Of: 200}}}
	if p := r.Progress(); p.Done != 150 || p.Of != 200 || p.Ranks != 1 || p.Slowest != 1 {
		t.Errorf("the progress is %+v", p)
	}
	if got := r.progressLine(); got != "progress: rank 1: 75 % (150 of 200)\n" {
		t.Errorf("a roll-call has %q", got)
	}
}
