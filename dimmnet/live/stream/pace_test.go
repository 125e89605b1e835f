package stream

import (
	"math/rand/v2"
	"testing"
	"time"
)

// call ends a call with data at the time now, and reports whether the data wait.
func (p *pace) call(now time.Duration) bool {
	p.data = true
	if p.endCall(now) {
		return true
	}
	p.sent()
	return false
}

// again is the Idle of the next call, at the time now: it sends.
func (p *pace) again(now time.Duration) {
	p.measure(now)
	p.sent()
}

// TestPaceEarns checks that data wait only after many short gaps. After they have waited in vain,
// they do not wait again for a long time.
func TestPaceEarns(t *testing.T) {
	var p pace
	now := time.Millisecond
	short := func() (waited bool) {
		waited = p.call(now)
		now += time.Microsecond
		p.again(now)
		now += 10 * time.Microsecond
		return waited
	}
	const first = int(leastEarned / segmentTime)
	for i := range 2 * first {
		if got := short(); got != (i >= first) {
			t.Fatalf("call %d: the data wait: %t, want %t", i, got, i >= first)
		}
	}
	if !p.call(now) {
		t.Fatal("the data do not wait after short gaps")
	}
	now += time.Hour
	p.again(now)
	calls := 0
	for ; !short(); calls++ {
	}
	if least := int((longestGather - leastEarned) / segmentTime); calls < least {
		t.Errorf("after waiting in vain for %v, data wait again after %d short gaps, want at least %d", longestGather, calls, least)
	}
}

// TestPacePays has threads call after random gaps. The cost of waiting never exceeds its savings
// and the longest wait.
func TestPacePays(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for run := range 200 {
		var p pace
		var saved, lost time.Duration
		longs := 1 + r.IntN(1000) // one in so many gaps is long
		now, waits := time.Millisecond, 0
		for range 20_000 {
			waited := p.call(now)
			gap := time.Duration(r.IntN(int(shortGap)))
			if r.IntN(longs) == 0 {
				gap += time.Duration(r.IntN(int(2 * longestGather)))
			}
			now += gap
			p.again(now)
			if gap <= shortGap {
				saved += segmentTime
			} else if waited {
				lost += min(gap, longestGather)
				waits++
			}
			now += time.Duration(r.IntN(int(longestGather)))
			if lost > saved+longestGather {
				t.Fatalf("seed %d, run %d, one in %d gaps is long: %d waits in vain have cost %v, short gaps are worth %v", seed, run, longs, waits, lost, saved)
			}
		}
	}
}

// TestHeldTwice checks that posts wait at most twice, whether Idle or Err holds them.
func TestHeldTwice(t *testing.T) {
	p := pace{earned: mostEarned, data: true}
	p.hold()
	if !p.endCall(time.Millisecond) || p.endCall(2*time.Millisecond) || p.readsFirst(time.Hour) {
		t.Error("posts that have been held twice are held again")
	}
	p.sent()
	if p.data = true; !p.readsFirst(time.Hour) || p.readsFirst(readFirstAfter) || !p.endCall(3*time.Millisecond) {
		t.Error("posts after others that were held are not held")
	}
}

// TestOneSegment: if calls follow each other at once, the data of a call and the word of the next
// one go in one Write. Otherwise data go at the end of the call. Words without data never wait.
func TestOneSegment(t *testing.T) {
	n, streams := newDeaf(2, 0)
	p := n.newPort("")
	n.late.set.Store(true) // so that the timer sends nothing
	count := func(f func()) int {
		before := len(streams[1].written())
		f()
		return len(streams[1].written()) - before
	}
	end := func() {
		if err := p.Err(); err != nil {
			t.Fatal(err)
		}
	}
	const dataBytes, wordBytes = headerBytes + 40, headerBytes + word
	send := func() { p.Send(1, make([]byte, 40)); end() }
	if got := count(send); got != dataBytes {
		t.Errorf("Err sends %d bytes at first, want %d", got, dataBytes)
	}
	p.pace.earned = mostEarned
	if got := count(send); got != 0 {
		t.Errorf("Err sends %d bytes of a thread that calls again at once, want 0", got)
	}
	idle := func() {
		p.Store(1, 8, 1, word)
		p.pace.idled = n.shared.clock() + time.Minute // so that Idle sends first
		n.newPort("other").Store(0, 8, 1, word)       // ends Idle
		p.Idle(0)
	}
	if got := count(idle); got != dataBytes+wordBytes {
		t.Errorf("the next call sends %d bytes, want the data and its word, %d", got, dataBytes+wordBytes)
	}
	p.pace.earned = mostEarned
	if got := count(func() { p.Store(1, 8, 1, word); end() }); got != wordBytes {
		t.Errorf("Err sends %d bytes of words without data, want %d", got, wordBytes)
	}
}

// TestQuietTimer checks that the flush timer fires ever more rarely while it finds nothing to send.
// It fires soon again after it has found posts, or after a thread would have let some wait.
func TestQuietTimer(t *testing.T) {
	n, streams := newDeaf(2, 0)
	p := n.newPort("")
	quiet := func() {
		for range 10 {
			n.flushLate()
		}
		if got := longestGather << n.late.quiet.Load(); got != quietGather {
			t.Fatalf("the timer fires after %v when it finds nothing, want %v", got, quietGather)
		}
	}
	quiet()
	n.late.set.Store(true) // so that the timer itself sends nothing
	p.Store(1, 8, 1, word)
	if n.flushLate(); n.late.quiet.Load() != 0 || len(streams[1].written()) != headerBytes+word {
		t.Errorf("the timer has sent %d bytes and fires next after %v", len(streams[1].written()), longestGather<<n.late.quiet.Load())
	}
	quiet()
	if n.mayHold() {
		t.Error("posts wait though the timer fires late")
	}
	if n.flushLate(); !n.mayHold() {
		t.Error("posts do not wait though the timer fires soon")
	}
}
