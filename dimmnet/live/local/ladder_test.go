package local

import (
	"testing"
	"time"
)

// wait polls in vain until the ladder says Sleep, and returns how long that took. By its clock a
// poll takes 1 us, and a yield takes yield. It fails after 1 s.
func (l *Ladder) wait(t *testing.T, now *time.Duration, crowded bool, yield time.Duration) (took time.Duration, yields int) {
	t.Helper()
	for begun := *now; *now < begun+time.Second; {
		*now += time.Microsecond
		if !l.Polled(crowded) {
			continue
		}
		switch l.Next(*now, crowded) {
		case Sleep:
			l.Progress() // the thread is woken
			return *now - begun, yields
		case Yield:
			yields++
			*now += yield
		case Poll:
		}
	}
	t.Fatal("the thread never sleeps")
	return 0, 0
}

// TestLadder checks how long threads wait awake: with a processor of their own, beside others, and
// after others have taken the processor.
func TestLadder(t *testing.T) {
	const every = 4 // polls of 1 us
	l, now := Ladder{Spin: 100 * time.Microsecond, Crowded: 50 * time.Microsecond, Every: every}, time.Duration(0)
	want := func(when string, crowded bool, yield, least, most time.Duration, yields bool) {
		t.Helper()
		if took, n := l.wait(t, &now, crowded, yield); took < least || took > most || (n > 0) != yields {
			t.Errorf("%s, the thread waits %v and yields %d times, want %v to %v, and yields: %t", when, took, n, least, most, yields)
		}
	}
	const spin, slack = 100 * time.Microsecond, 2 * every * time.Microsecond
	for range 3 {
		want("alone", false, 0, spin, spin+slack, false)
		now += time.Hour // the thread computes: this is no loss
		want("crowded", true, time.Microsecond, 50*time.Microsecond, 50*time.Microsecond+slack, true)
	}
	// A yield that takes long is the last one, and shortens waits, for 32 times as long.
	const lost = time.Millisecond
	want("while a yield takes long", true, lost, lost, lost+slack, true)
	after := now
	want("after a long yield", true, 0, 50*time.Microsecond, 50*time.Microsecond+slack, true)
	now = after
	want("after it, alone", false, 0, busySpin, busySpin+slack, false)
	now = after + busyFactor*lost - busySpin - slack
	want("at the end of that time", false, 0, busySpin, busySpin+slack, false)
	now += spin // the yield was found 1 us later, which counts 32 times
	want("after that time", false, 0, spin, spin+slack, false)
	want("after that time, crowded", true, 0, 50*time.Microsecond, 50*time.Microsecond+slack, true)
}

// TestLosses checks which pauses between polls count as losses, and for how long.
func TestLosses(t *testing.T) {
	for _, c := range []struct{ pause, busy time.Duration }{
		{200*time.Microsecond - 1, 0},
		{200 * time.Microsecond, 6400 * time.Microsecond},
		{200*time.Microsecond + 1, 6400*time.Microsecond + 32},
		{312500*time.Microsecond - 1, 10*time.Second - 32},
		{312500 * time.Microsecond, 10 * time.Second},
		{312500*time.Microsecond + 1, 10 * time.Second},
		{time.Minute, 10 * time.Second},
	} {
		l := Ladder{Spin: time.Hour, Every: 1}
		l.Next(time.Minute, false)
		now := time.Minute + c.pause
		l.Next(now, false)
		if got := max(0, l.busy-now); got != c.busy {
			t.Errorf("after a pause of %v, processors count as busy for %v, want %v", c.pause, got, c.busy)
		}
		l.Progress()
		l.busy = 0
		if l.Next(now+time.Hour, false); l.busy != 0 {
			t.Errorf("the time between two waits counts as a loss")
		}
	}
}

// TestLongWait: a wait in which the processor is never lost for long counts as no loss, however
// long the wait is.
func TestLongWait(t *testing.T) {
	l := Ladder{Spin: time.Hour, Every: 1}
	now := time.Minute
	for range 1000 {
		if got := l.Next(now, false); got != Poll || l.busy != 0 {
			t.Fatalf("after %v of polls, the ladder says %d, and processors count as busy until %v", now-time.Minute, got, l.busy)
		}
		now += leastLost - 1
	}
}

// TestRungs: the moment at which each way of waiting ends belongs to the next one.
func TestRungs(t *testing.T) {
	const spin, crowded = 100 * time.Microsecond, 50 * time.Microsecond
	for _, c := range []struct {
		what    string
		after   time.Duration // since the beginning of the wait
		busy    time.Duration // since then; below 0: processors are free
		crowded bool
		want    Rung
	}{
		{"alone", spin - 1, -1, false, Poll},
		{"alone", spin, -1, false, Sleep},
		{"alone", spin + 1, -1, false, Sleep},
		{"crowded", crowded - 1, -1, true, Yield},
		{"crowded", crowded, -1, true, Sleep},
		{"crowded", crowded + 1, -1, true, Sleep},
		{"beside others", 20*time.Microsecond - 1, time.Second, false, Poll},
		{"beside others", 20 * time.Microsecond, time.Second, false, Sleep},
		{"beside others, until now", 30 * time.Microsecond, 30*time.Microsecond + 1, false, Sleep},
		{"beside others, before", 30 * time.Microsecond, 30 * time.Microsecond, false, Poll},
		{"crowded, beside others", 30 * time.Microsecond, time.Second, true, Yield},
	} {
		l := Ladder{Spin: spin, Crowded: crowded, Every: 1, busy: time.Minute - 1}
		l.Next(time.Minute, c.crowded)
		l.busy = time.Minute + c.busy
		if got := l.Next(time.Minute+c.after, c.crowded); got != c.want {
			t.Errorf("%s, after %v: rung %d, want %d", c.what, c.after, got, c.want)
		}
	}
}

// TestPolled: the clock is read with every poll where threads outnumber processors, and otherwise
// with each of Every polls of a wait.
func TestPolled(t *testing.T) {
	l := Ladder{Every: 3}
	for range 2 {
		for poll := 1; poll <= 7; poll++ {
			if due := l.Polled(false); due != (poll%3 == 0) {
				t.Errorf("poll %d: the clock is due: %t", poll, due)
			}
		}
		if !l.Polled(true) {
			t.Error("where threads outnumber processors, the clock is not due")
		}
		l.Progress()
	}
}
