package local

import (
	"testing"
	"time"
)

// TestLag checks that the worst delay extends the silence allowed 16 times, and that it is
// forgotten by half in 44 observations.
func TestLag(t *testing.T) {
	const stall, late = time.Second, 500 * time.Millisecond
	var l Lag
	if got := l.Extend(stall); got != stall {
		t.Errorf("without a delay, %v of silence are allowed, want %v", got, stall)
	}
	l.Observe(-late) // a turn that comes early, after a late one
	if got := l.Extend(stall); got != stall {
		t.Errorf("after an early turn, %v of silence are allowed, want %v", got, stall)
	}
	for range 3 {
		for _, d := range []time.Duration{late, late / 2, late, late / 4} {
			l.Observe(d)
		}
	}
	l.Observe(late)
	if got, want := l.Extend(stall), stall+16*late; got != want {
		t.Errorf("after a delay of %v, %v of silence are allowed, want %v", late, got, want)
	}
	for range 44 {
		l.Observe(0)
	}
	if got, want := l.Extend(stall), stall+8*late; got < want-want/50 || got > want+want/50 {
		t.Errorf("44 observations after a delay of %v, %v of silence are allowed, want some %v", late, got, want)
	}
}
