package sim

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// idleKernel is a UDP network of three nodes on which nothing happens by itself.
func idleKernel(t *testing.T, faults UDP) *kernel {
	t.Helper()
	return udpKernel(t, faults, 3, func(dimmnet.Host) error { return nil })
}

// TestUDPTimerFollowsTheDeadline: when an end that waits for an acknowledgement also owes one,
// its timer moves to the earlier time. The event at the old time does nothing.
func TestUDPTimerFollowsTheDeadline(t *testing.T) {
	k := idleKernel(t, UDP{})
	a, b := k.end(0, 1), k.end(1, 0)
	a.conn.Send([]byte{1})
	b.conn.Send([]byte{1})
	k.pump(a, 0, true)
	cfg := &k.preset.UDP.Conn
	if !a.armed || a.timer != cfg.FirstTimeout {
		t.Fatalf("the timer is armed %v for %v, want %v", a.armed, a.timer, cfg.FirstTimeout)
	}
	if _, err := a.conn.Receive(0, b.conn.Next(0, nil)); err != nil {
		t.Fatal(err)
	}
	k.pump(a, 0, true)
	if a.timer != cfg.AckDelay {
		t.Errorf("the timer is armed for %v, want %v", a.timer, cfg.AckDelay)
	}
	events, sent := k.queue.n, k.counts.Sent
	k.timerEvent(a.ref, cfg.FirstTimeout)
	if k.queue.n != events || k.counts.Sent != sent || !a.armed || a.timer != cfg.AckDelay {
		t.Errorf("after a stale event: %d events, want %d; %d datagrams, want %d; timer armed %v for %v",
			k.queue.n, events, k.counts.Sent, sent, a.armed, a.timer)
	}
	k.timerEvent(a.ref, cfg.AckDelay)
	if k.counts.Sent != sent+1 || a.timer != cfg.FirstTimeout {
		t.Errorf("%d datagrams sent, want %d; timer armed for %v", k.counts.Sent, sent+1, a.timer)
	}
}

// TestUDPWindowOpensBeforeIdle: a thread whose post failed idles after the window has opened
// again. Idle returns, because the thread's mark is old.
func TestUDPWindowOpensBeforeIdle(t *testing.T) {
	refused, posted := false, false
	k := udpKernel(t, UDP{}, 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 1 {
			return nil
		}
		mark := p.Arrivals()
		for i := 0; i < 10_000 && !refused; i++ { // the wire is slower than the thread
			mark = p.Arrivals()
			refused = !p.Write(1, 0, make([]byte, p.Limits().Block))
		}
		h.Spend(50 * dimmnet.Millisecond) // all datagrams are acknowledged meanwhile
		p.Idle(mark)
		posted = p.Store(1, 0, 1, 8)
		return p.Err()
	})
	k.run()
	if k.cause != nil || !refused || !posted {
		t.Errorf("a post failed: %v; later posted: %v; Run returned %v", refused, posted, k.cause)
	}
}

// TestUDPHoldsEvenly: the times for which datagrams are held back are spread evenly up to
// UDPTimes.Held.
func TestUDPHoldsEvenly(t *testing.T) {
	const count, apart = 600, 10 * dimmnet.Millisecond
	onTime, k := idleKernel(t, UDP{}), idleKernel(t, UDP{Reorder: 0.999})
	for i := range dimmnet.Time(count) {
		onTime.emit(onTime.end(0, 1), make([]byte, 100), i*apart)
		k.emit(k.end(0, 1), make([]byte, 100), i*apart)
	}
	var thirds [3]int
	for k.queue.n > 0 {
		late, at := k.queue.pop(), onTime.queue.pop()
		if late.kind != evSwitch || at.kind != evSwitch {
			continue // not a datagram: the event of a thread
		}
		d := late.at - at.at
		if d < 0 || d >= k.preset.UDP.Held {
			t.Fatalf("held back for %v, want at most %v", d, k.preset.UDP.Held)
		}
		thirds[3*d/k.preset.UDP.Held]++
	}
	for _, n := range thirds {
		if n < count/4 || n > count*5/12 {
			t.Errorf("times by thirds of the range: %v of %d, want about a third each", thirds, count)
		}
	}
}

// TestUDPDrawsAreIndependent: the draws of two ends are both below one half a quarter of the
// time, whether the ends have the rank, the peer or the pair in common.
func TestUDPDrawsAreIndependent(t *testing.T) {
	const count = 2000
	for _, other := range [][2]dimmnet.Rank{{0, 2}, {2, 1}, {1, 0}} {
		k := idleKernel(t, UDP{})
		a, b := k.end(0, 1), k.end(other[0], other[1])
		both := 0
		for range count {
			if x, y := k.draw(a), k.draw(b); x < 0.5 && y < 0.5 {
				both++
			}
		}
		if both < count/5 || both > count*3/10 {
			t.Errorf("draws of the ends 0 to 1 and %d to %d: both are below 1/2 in %d of %d cases, want a quarter", other[0], other[1], both, count)
		}
	}
}
