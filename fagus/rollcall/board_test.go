package rollcall

import (
	"errors"
	"testing"
	"time"
)

// waitingBoard returns a board of two ranks whose rank 0 has been in a call since start. The
// board makes no checks by itself.
func waitingBoard(t *testing.T, after time.Duration, virtual bool) (b *Board, start time.Time) {
	b = Open(Config{After: -1}, About{Nodes: 2, Virtual: virtual})
	t.Cleanup(b.Close)
	b.cfg.After = after
	start = time.Now()
	for r := range b.ranks {
		b.ranks[r] = observation{since: start, due: after}
	}
	b.Monitor(0).Enter(Barrier, nil)
	return b, start
}

// TestCheck checks that a roll-call is due when a rank has waited for the configured time, again
// when it has waited twice as long, and anew after the rank has moved.
func TestCheck(t *testing.T) {
	b, start := waitingBoard(t, 30*time.Second, false)
	for _, c := range []struct {
		at    time.Duration // time of the check since the start
		moves bool          // before the check rank 0 leaves its call and enters the next call
		due   bool
	}{
		{at: 10 * time.Second}, // the check notices that rank 0 has entered
		{at: 39 * time.Second},
		{at: 40 * time.Second, due: true},
		{at: 41 * time.Second},
		{at: 69 * time.Second},
		{at: 70 * time.Second, due: true}, // rank 0 has waited for 60 s
		{at: 120 * time.Second},
		{at: 130 * time.Second, due: true},
		{at: 131 * time.Second, moves: true},
		{at: 160 * time.Second},
		{at: 161 * time.Second, due: true},
	} {
		if c.moves {
			b.Monitor(0).Leave(nil)
			b.Monitor(0).Enter(Barrier, nil)
		}
		if due := b.check(start.Add(c.at)); due != c.due {
			t.Errorf("after %v: a roll-call is due: %v, want %v", c.at, due, c.due)
		}
	}
}

// TestCheckInVirtualTime checks that no roll-call is due while any rank moves.
func TestCheckInVirtualTime(t *testing.T) {
	b, start := waitingBoard(t, time.Second, true)
	for i := range 5 {
		b.Monitor(1).Enter(Acquire, nil)
		b.Monitor(1).Leave(nil)
		if b.check(start.Add(time.Duration(i) * 2 * time.Second)) {
			t.Errorf("check %d: a roll-call is due while rank 1 moves", i)
		}
	}
	if !b.check(start.Add(20 * time.Second)) {
		t.Error("no roll-call is due, though no rank moves")
	}
}

// TestComputingIsNoWait checks that no roll-call is due while no rank is in a call.
func TestComputingIsNoWait(t *testing.T) {
	b := Open(Config{After: -1}, About{Nodes: 2})
	defer b.Close()
	b.cfg.After = time.Second
	if b.check(time.Now().Add(time.Hour)) {
		t.Error("a roll-call is due, though no rank waits")
	}
}

// TestNoCheckAfterTheEnd checks that no roll-call is due when the run has been ended, or when the
// rank in the call has failed, and that durations last until the end.
func TestNoCheckAfterTheEnd(t *testing.T) {
	for what, end := range map[string]func(*Board){
		"the run is ended": func(b *Board) { b.End("it is late") },
		"the rank fails":   func(b *Board) { b.Monitor(0).Fail() },
	} {
		b, start := waitingBoard(t, time.Second, false)
		b.check(start)
		if !b.check(start.Add(time.Second)) {
			t.Error("no roll-call is due")
		}
		end(b)
		if b.check(start.Add(time.Hour)) {
			t.Errorf("%s, and a roll-call is due", what)
		}
	}
	b, start := waitingBoard(t, time.Second, false)
	b.check(start)
	b.End("it is late")
	b.ended = start.Add(3 * time.Second)
	b.End("it is later") // does not count
	roll := b.Roll()
	if roll.Ended != "it is late" {
		t.Errorf("the run was ended because %q", roll.Ended)
	}
	for r, e := range roll.Ranks {
		if e.For != 3*time.Second {
			t.Errorf("rank %d has been in its state for %v, want 3s", r, e.For)
		}
	}
}

// TestFailedWhileComputing checks the entry of a rank that returned because the run failed. It
// shows what the rank did when it learned of the failure, or did last.
func TestFailedWhileComputing(t *testing.T) {
	var told []error
	b := Open(Config{After: -1, Failed: func(err error) { told = append(told, err) }}, About{Nodes: 4})
	defer b.Close()
	for r := range b.monitors {
		b.Monitor(r).Enter(Barrier, nil)
		b.Monitor(r).Leave(nil)
	}
	begun := time.Now()
	b.check(begun)
	b.Monitor(0).Fail() // as if rank 0 had called Node.Err
	b.Monitor(0).failed.at = begun.Add(3 * time.Second)
	b.Monitor(0).Return(errors.New("it"), true)
	b.Monitor(1).Return(errors.New("follows"), true)
	// Rank 1 learned of the failure after its last move, but before the check saw the move.
	b.Monitor(1).failed.at = begun.Add(-time.Second)
	b.Monitor(2).Return(nil, false)
	b.Monitor(3).Return(errors.New("rank 3: a mistake"), false)
	ranks := b.Roll().Ranks
	for r, want := range []Entry{
		{Calls: 1, For: 3 * time.Second, Line: ranks[0].Line},
		{Calls: 1},
		{Calls: 1, Returned: true},
		{Calls: 1, Returned: true, Failed: "rank 3: a mistake"},
	} {
		if got := ranks[r]; got.String() != want.String() {
			t.Errorf("rank %d: the entry is %q, want %q", r, got, want)
		}
	}
	if ranks[0].Line == "" {
		t.Error("rank 0 has no source line")
	}
	if len(told) != 1 || told[0].Error() != "rank 3: a mistake" {
		t.Errorf("Config.Failed got %v, want the error of rank 3 alone", told)
	}
}
