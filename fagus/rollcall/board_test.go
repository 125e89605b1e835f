package rollcall

import (
	"testing"
	"time"
)

// TestLook: a wait is told when it has lasted, again after twice as long, and anew when
// the rank has moved.
func TestLook(t *testing.T) {
	const after = 30 * time.Second
	b := Open(Config{After: -1}, About{Nodes: 2})
	defer b.Close()
	b.cfg.After = after
	start := time.Now()
	for r := range b.ranks {
		b.ranks[r] = seen{since: start, due: after}
	}
	b.Seat(0).Enter("Barrier", nil)
	for _, c := range []struct {
		at    time.Duration // from the start
		moves bool          // of rank 0, before
		due   bool
	}{
		{at: 10 * time.Second}, // rank 0 is seen to have entered
		{at: 39 * time.Second},
		{at: 40 * time.Second, due: true},
		{at: 41 * time.Second},
		{at: 69 * time.Second},
		{at: 70 * time.Second, due: true}, // 60 s
		{at: 120 * time.Second},
		{at: 130 * time.Second, due: true},
		{at: 131 * time.Second, moves: true},
		{at: 160 * time.Second},
		{at: 161 * time.Second, due: true},
	} {
		if c.moves {
			b.Seat(0).Leave(nil)
			b.Seat(0).Enter("Barrier", nil)
		}
		if due := b.look(start.Add(c.at)); due != c.due {
			t.Errorf("after %v: due %v, want %v", c.at, due, c.due)
		}
	}
}

// TestLookInVirtualTime: while any rank moves, nobody is said to hang.
func TestLookInVirtualTime(t *testing.T) {
	b := Open(Config{After: -1}, About{Nodes: 2, Virtual: true})
	defer b.Close()
	b.cfg.After = time.Second
	start := time.Now()
	for r := range b.ranks {
		b.ranks[r] = seen{since: start, due: time.Second}
	}
	b.Seat(0).Enter("Barrier", nil)
	for i := range 5 {
		b.Seat(1).Enter("Acquire", nil)
		b.Seat(1).Leave(nil)
		if b.look(start.Add(time.Duration(i) * 2 * time.Second)) {
			t.Errorf("told in look %d", i)
		}
	}
	if !b.look(start.Add(20 * time.Second)) {
		t.Error("not told")
	}
}

// TestComputingIsNoWait: nobody waits, nothing is told.
func TestComputingIsNoWait(t *testing.T) {
	b := Open(Config{After: -1}, About{Nodes: 2})
	defer b.Close()
	b.cfg.After = time.Second
	if b.look(time.Now().Add(time.Hour)) {
		t.Error("told")
	}
}

// TestFailedWhileComputing: a rank that has returned because the run had failed is where
// it learned that, or was.
func TestFailedWhileComputing(t *testing.T) {
	b := Open(Config{After: -1}, About{Nodes: 3})
	defer b.Close()
	for r := range b.seats {
		b.Seat(r).Enter("Barrier", nil)
		b.Seat(r).Leave(nil)
	}
	begun := time.Now()
	b.look(begun)
	b.Seat(0).Fail() // it asks
	b.Seat(0).learned = begun.Add(3 * time.Second)
	b.Seat(0).Return(true)
	b.Seat(1).Return(true)
	b.Seat(1).learned = begun.Add(-time.Second) // between a move and the look that saw it
	b.Seat(2).Return(false)
	ranks := b.Roll().Ranks
	for r, want := range []Entry{
		{Calls: 1, For: 3 * time.Second, Line: ranks[0].Line},
		{Calls: 1},
		{Calls: 1, Returned: true},
	} {
		if got := ranks[r]; got.String() != want.String() {
			t.Errorf("rank %d: %v, want %v", r, got, want)
		}
	}
	if ranks[0].Line == "" {
		t.Error("no line of who asked")
	}
}
