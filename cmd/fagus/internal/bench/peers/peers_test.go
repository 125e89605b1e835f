package peers_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/peers"
)

func start(t *testing.T, s peers.System) *peers.Running {
	t.Helper()
	r, err := peers.Start(t.Context(), s, filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Stop)
	return r
}

// session returns a session with three fake systems: ours, and its peers fast and slow. Probe
// returns the given times in turn.
func session(t *testing.T, log string, probes ...time.Duration) *peers.Session {
	t.Helper()
	own := fakeSystem(t, "ours", "good", 60, log)
	own.Own = true
	s := &peers.Session{Batch: time.Millisecond, Samples: 4}
	for _, system := range []peers.System{own, fakeSystem(t, "fast", "good", 100, log), fakeSystem(t, "slow", "good", 300, log)} {
		s.Running = append(s.Running, start(t, system))
	}
	at := 0
	s.Probe = func() (time.Duration, error) {
		at++
		return probes[(at-1)%len(probes)], nil
	}
	return s
}

// TestMeasure: methods take samples in turns, each round begins with another method, and ratios
// refer to the best peer.
func TestMeasure(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	s := session(t, log, 100)
	shown := 0
	s.Progress = func() { shown++ }
	c := peers.Case{Op: "lunch", Size: 7, Methods: []peers.Method{{System: 0, Op: "eat"}, {System: 1, Op: "dine"}, {System: 2, Op: "feast", Variant: "long"}}}
	rows, dropped, err := s.Measure(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprintf("%s %d %s %.0f %s/%s %v %d %.0f %.0f %.0f %.1f", r.Op, r.Size, r.Pair, r.Trip, r.System, r.Variant, r.Own, r.Samples, r.First, r.Median, r.Third, *r.Ratio))
	}
	want := []string{
		"lunch 7 near 100 ours/ true 4 60 60 60 0.6",
		"lunch 7 near 100 fast/ false 4 100 100 100 1.0",
		"lunch 7 near 100 slow/long false 4 300 300 300 3.0",
	}
	if !slices.Equal(got, want) || dropped != 0 || shown != 12 {
		t.Errorf("%d dropped, %d shown; got\n%s\nwant\n%s", dropped, shown, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var order []string
	for i, line := range lines[len(lines)-24:] {
		if i%2 == 1 { // each sample follows a batch that is not measured
			order = append(order, strings.Fields(line)[0])
		}
	}
	if got, want := strings.Join(order, " "), "ours fast slow fast slow ours slow ours fast ours fast slow"; got != want {
		t.Errorf("samples of %s, want %s", got, want)
	}
	if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "slow feast 7 ") }) {
		t.Errorf("the log has %q", lines)
	}
}

// TestPairs: a sample between different probes is dropped, and near samples are compared only
// with near samples.
func TestPairs(t *testing.T) {
	s := session(t, filepath.Join(t.TempDir(), "log"),
		100, 100, 400, 400, 100, 400) // ours near, fast far, then slow mixed
	s.Samples = 2
	rows, dropped, err := s.Measure(t.Context(), peers.Case{Op: "x", Methods: []peers.Method{{System: 0, Op: "x"}, {System: 1, Op: "x"}, {System: 2, Op: "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		ratio := "none"
		if r.Ratio != nil {
			ratio = fmt.Sprintf("%.1f", *r.Ratio)
		}
		got = append(got, fmt.Sprintf("%s %s %d %s", r.Pair, r.System, r.Samples, ratio))
	}
	// The second round begins with fast. In this round slow is far, and ours is dropped.
	want := []string{"near ours 1 0.6", "near fast 1 1.0", "far fast 1 1.0", "far slow 1 3.0"}
	if !slices.Equal(got, want) || dropped != 2 {
		t.Errorf("%d dropped, rows %q, want 2 and %q", dropped, got, want)
	}
}

// TestDroppedAgain: a method whose samples were all dropped takes more of them, but not for ever.
func TestDroppedAgain(t *testing.T) {
	s := session(t, filepath.Join(t.TempDir(), "log"), 100, 400, 400, 100, 100, 100)
	s.Samples = 1
	c := peers.Case{Op: "x", Methods: []peers.Method{{System: 0, Op: "x"}, {System: 1, Op: "x"}}}
	rows, dropped, err := s.Measure(t.Context(), c)
	if err != nil || len(rows) != 2 || rows[0].Samples != 1 || rows[1].Samples != 1 || dropped != 4 {
		t.Errorf("%d dropped, %+v, %v; want a sample of both, and 4 dropped", dropped, rows, err)
	}
	s = session(t, filepath.Join(t.TempDir(), "log"), 100, 400)
	s.Samples = 1
	rows, dropped, err = s.Measure(t.Context(), c)
	if err != nil || len(rows) != 0 || dropped != 34 {
		t.Errorf("%d dropped, %+v, %v; want all 34 samples dropped", dropped, rows, err)
	}
}

// TestNoPeer: without a peer there is no ratio.
func TestNoPeer(t *testing.T) {
	s := session(t, filepath.Join(t.TempDir(), "log"), 100)
	rows, _, err := s.Measure(t.Context(), peers.Case{Op: "x", Methods: []peers.Method{{System: 0, Op: "x"}}})
	if err != nil || len(rows) != 1 || rows[0].Ratio != nil {
		t.Errorf("%+v, %v", rows, err)
	}
}

// TestBudget: a slow system with a budget takes few samples, but enough for a median, and the
// other systems take all of theirs.
func TestBudget(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	slow := fakeSystem(t, "slow", "good", time.Hour, log)
	slow.Budget = time.Minute
	short := fakeSystem(t, "short", "good", time.Second, log)
	short.Budget = 5 * time.Second
	shown := 0
	s := &peers.Session{Batch: time.Millisecond, Samples: 9, Progress: func() { shown++ },
		Probe: func() (time.Duration, error) { return 100, nil }}
	for _, system := range []peers.System{slow, short, fakeSystem(t, "free", "good", time.Hour, log)} {
		s.Running = append(s.Running, start(t, system))
	}
	rows, _, err := s.Measure(t.Context(), peers.Case{Op: "x", Methods: []peers.Method{{System: 0, Op: "x"}, {System: 1, Op: "x"}, {System: 2, Op: "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprint(r.System, r.Samples))
	}
	if want := []string{"slow3", "short5", "free9"}; !slices.Equal(got, want) || shown != 27 {
		t.Errorf("%d shown, rows %q, want 27 and %q", shown, got, want)
	}
}

// TestUnsteady: when operations suddenly take a thousand times as long, a batch ends early, and the
// next ones are smaller.
func TestUnsteady(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	s := &peers.Session{Batch: time.Millisecond, Samples: 21, Unsteady: true, Probe: func() (time.Duration, error) { return 100, nil }}
	s.Running = append(s.Running, start(t, fakeSystem(t, "moody", "moody", 100, log)))
	rows, _, err := s.Measure(t.Context(), peers.Case{Op: "x", Methods: []peers.Method{{System: 0, Op: "x"}}})
	if err != nil || len(rows) != 1 || rows[0].Least != 100 || rows[0].Median != 1e5 || rows[0].Samples != 21 {
		t.Fatalf("%+v, %v", rows, err)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var fast, slow []int // operations of each command
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var count int
		if _, err := fmt.Sscanf(line, "moody x 0 %d", &count); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if i < 200 {
			fast = append(fast, count)
		} else {
			slow = append(slow, count)
		}
	}
	// 10 000 fast operations, or 10 slow ones, take a batch's time.
	if most := slices.Max(fast); most < 5000/16 || most > 20000/16 {
		t.Errorf("up to %d fast operations in a part", most)
	}
	if sum := slices.Max(slow); sum > slices.Max(fast) {
		t.Errorf("up to %d slow operations in a part", sum)
	}
	for _, count := range slow[len(slow)/2:] {
		if count > 20 {
			t.Errorf("%d slow operations in a part, long after they have become slow", count)
		}
	}
}

// TestRanks: systems may have one rank or many, and a row says how many.
func TestRanks(t *testing.T) {
	for _, ranks := range []int{1, 5} {
		s := &peers.Session{Batch: time.Millisecond, Samples: 2, Probe: func() (time.Duration, error) { return 100, nil }}
		s.Running = append(s.Running, start(t, withRanks(fakeSystem(t, "crowd", "good", time.Millisecond, filepath.Join(t.TempDir(), "log")), ranks)))
		rows, _, err := s.Measure(t.Context(), peers.Case{Op: "x", Methods: []peers.Method{{System: 0, Op: "x"}}})
		if err != nil || len(rows) != 1 || rows[0].Ranks != ranks || rows[0].Median != 1e6 {
			t.Errorf("%d ranks: %+v, %v", ranks, rows, err)
		}
	}
}

// batch measures one operation of a system.
func batch(ctx context.Context, r *peers.Running) error {
	s := peers.Session{Running: []*peers.Running{r}, Samples: 1, Probe: func() (time.Duration, error) { return 100, nil }}
	_, _, err := s.Measure(ctx, peers.Case{Op: "x", Methods: []peers.Method{{Op: "x"}}})
	return err
}

// TestFailures: the error names the failed system and shows its output, in bounded time.
func TestFailures(t *testing.T) {
	for behaviour, want := range map[string]string{
		"absent":  "nobody is at home",
		"lost":    "i/o timeout",
		"twins":   `greeting "rank 0`,
		"hangs":   "i/o timeout",
		"fails":   `rank 1: answer "error: no more paper"`,
		"dies":    "the end is near",
		"babbles": `rank 0: answer "soon"`,
	} {
		t.Run(behaviour, func(t *testing.T) {
			t.Parallel()
			s := fakeSystem(t, "fake", behaviour, 1, filepath.Join(t.TempDir(), "log"))
			if behaviour == "lost" || behaviour == "hangs" {
				s.Patience = time.Second
			}
			r, err := peers.Start(t.Context(), s, filepath.Join(t.TempDir(), "s"))
			if err == nil {
				defer r.Stop()
				err = batch(t.Context(), r)
			}
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "fake: ") {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

// TestInterrupt: when the context ends, a system that does not answer is stopped.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, err := peers.Start(ctx, fakeSystem(t, "fake", "hangs", 1, filepath.Join(t.TempDir(), "log")), filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Stop()
	time.AfterFunc(100*time.Millisecond, cancel)
	if err := batch(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := peers.Start(ctx, fakeSystem(t, "fake", "lost", 1, "log"), filepath.Join(t.TempDir(), "s")); !errors.Is(err, context.Canceled) {
		t.Errorf("at its start: error %v", err)
	}
}
