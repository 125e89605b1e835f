package pump

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"
	"time"
)

// asleep returns when n goroutines have begun to wait at a ring.
func (r *ring) asleep(t *testing.T, n uint64) {
	t.Helper()
	waits := reflect.ValueOf(&r.changed).Elem().FieldByName("notify").FieldByName("wait")
	for begun := time.Now(); waits.Uint() < n; time.Sleep(50 * time.Microsecond) {
		if time.Since(begun) > patient {
			t.Fatalf("no goroutine waits at the ring after %v", patient)
		}
	}
}

// full fills a ring.
func (r *ring) full(t *testing.T) *ring {
	t.Helper()
	if n, err := r.put(make([]byte, ringBytes)); n != ringBytes || err != nil {
		t.Fatalf("an empty ring accepts %d bytes, %v: want %d", n, err, ringBytes)
	}
	return r
}

// TestRingWakes: every event that ends a goroutine's wait at a ring wakes the sleeping goroutine.
func TestRingWakes(t *testing.T) {
	boom := errors.New("boom")
	free := func(r *ring) int { return len(r.waitFree()) }
	some := func(r *ring) int { return len(r.waitBytes()) }
	for name, c := range map[string]struct {
		wait func(r *ring) int
		full bool
		do   func(r *ring)
		want int
	}{
		"bytes are taken":                {free, true, func(r *ring) { _, _ = r.take(make([]byte, 5)) }, 5},
		"all is taken":                   {free, true, func(r *ring) { _, _ = r.take(make([]byte, ringBytes)) }, ringBytes},
		"bytes are dropped":              {free, true, (*ring).discard, ringBytes},
		"bytes are put":                  {some, false, func(r *ring) { _, _ = r.put(make([]byte, 7)) }, 7},
		"as many are put as go out":      {some, false, func(r *ring) { _, _ = r.put(make([]byte, chunkBytes)) }, chunkBytes},
		"more are put than go out":       {some, false, func(r *ring) { _, _ = r.put(make([]byte, chunkBytes+1)) }, chunkBytes},
		"the bytes end":                  {some, false, func(r *ring) { r.end(boom) }, 0},
		"the bytes end, with some there": {some, false, func(r *ring) { _, _ = r.put(make([]byte, 3)); r.end(boom) }, 3},
	} {
		r := newRing()
		if c.full {
			r.full(t)
		}
		got := make(chan int, 1)
		go func() { got <- c.wait(r) }()
		r.asleep(t, 1)
		c.do(r)
		select {
		case n := <-got:
			if n != c.want {
				t.Errorf("%s: the goroutine gets %d bytes, want %d", name, n, c.want)
			}
		case <-time.After(patient):
			t.Errorf("%s: the goroutine that waits is not woken", name)
			r.discard()
			r.end(boom)
		}
	}
}

// TestRingSizes: a ring holds ringBytes and not one more, wherever its content begins, and returns
// the bytes in order. It is writable as long as a byte fits, and readable as long as it holds one.
func TestRingSizes(t *testing.T) {
	for _, at := range []int{0, 1, ringBytes - 1, ringBytes / 2} {
		r := newRing()
		r.lo, r.hi = uint64(at), uint64(at)
		r.notifyWritable(true)
		data := make([]byte, ringBytes+1)
		for i := range data {
			data[i] = byte(i ^ i>>8)
		}
		if r.readable() || !r.writable() {
			t.Errorf("at %d: an empty ring is readable %t, writable %t", at, r.readable(), r.writable())
		}
		if n, err := r.put(data); n != ringBytes || err != nil {
			t.Fatalf("at %d: a ring accepts %d of %d bytes, %v", at, n, len(data), err)
		}
		if n, err := r.put(data[:1]); n != 0 || err != nil || r.writable() {
			t.Errorf("at %d: a full ring accepts %d bytes, %v, writable %t", at, n, err, r.writable())
		}
		got := make([]byte, ringBytes+1)
		if n, err := r.take(got[:1]); n != 1 || err != nil || !r.writable() {
			t.Errorf("at %d: taking a byte: %d, %v; writable %t", at, n, err, r.writable())
		}
		if n, err := r.take(got[1:]); n != ringBytes-1 || err != nil || !bytes.Equal(got[:ringBytes], data[:ringBytes]) {
			t.Errorf("at %d: %d bytes come back, %v: want the others, in order", at, n, err)
		}
		if n, err := r.take(got); n != 0 || err != nil || r.readable() {
			t.Errorf("at %d: an empty ring gives %d bytes, %v, readable %t", at, n, err, r.readable())
		}
	}
}

// TestRingEnd: after the end, earlier bytes can still be taken, and none can be put. The first
// reason given is reported. The end counts as readable and as writable.
func TestRingEnd(t *testing.T) {
	boom := errors.New("boom")
	r := newRing().full(t)
	r.notifyWritable(true)
	r.end(boom)
	r.end(io.EOF)
	if !r.writable() || !r.readable() || !r.hasEnded() {
		t.Errorf("writable %t, readable %t, ended %t: want all", r.writable(), r.readable(), r.hasEnded())
	}
	if n, err := r.put(make([]byte, 1)); n != 0 || err != boom {
		t.Errorf("put after the end: %d, %v", n, err)
	}
	if n, err := r.take(make([]byte, ringBytes)); n != ringBytes || err != nil {
		t.Errorf("what was put before the end: %d, %v", n, err)
	}
	if n, err := r.take(make([]byte, 1)); n != 0 || err != boom || !r.readable() {
		t.Errorf("the end: %d, %v, readable %t", n, err, r.readable())
	}
	r.notifyWritable(false)
	if r.writable() {
		t.Error("a ring is reported as writable though nobody wants to know")
	}
}

// TestRingDrops: a ring that drops its bytes always has space, keeps none, and is not reported.
func TestRingDrops(t *testing.T) {
	r := newRing().full(t)
	r.discard()
	for range 3 {
		if n := len(r.waitFree()); n != ringBytes {
			t.Fatalf("a ring that drops its bytes has space for %d", n)
		}
		r.filled(ringBytes)
	}
	if r.readable() || r.hi-r.lo != ringBytes {
		t.Errorf("readable %t, with %d bytes: what is dropped is not put", r.readable(), r.hi-r.lo)
	}
	r.end(io.EOF)
	if r.readable() {
		t.Error("the end of what is dropped is reported")
	}
	fresh := newRing()
	b := fresh.waitFree()
	b[0] = 9
	fresh.filled(1)
	if got := fresh.waitBytes(); len(got) != 1 || got[0] != 9 {
		t.Errorf("a byte that was filled comes back as %v", got)
	}
	fresh.drained(1)
	if fresh.readable() {
		t.Error("a byte that was drained is still there")
	}
}

// TestCloseFullLink: Close ends a link whose goroutines wait: one for space in a ring that nobody
// reads, the other for bytes to send, or for a peer that reads none.
func TestCloseFullLink(t *testing.T) {
	for _, sends := range []bool{false, true} {
		l, other := newPair(t)
		go func() { // until the connection is closed
			for err := error(nil); err == nil; {
				_, err = other.Write(make([]byte, chunkBytes))
			}
		}()
		l.received.asleep(t, 1)
		if sends {
			for n := 0; n < 64<<20; { // more than the buffers of TCP and the ring
				k, err := l.Write(make([]byte, chunkBytes), false)
				if n += k; err != nil {
					t.Fatal(err)
				} else if k == 0 {
					break
				}
			}
		}
		ended := make(chan struct{})
		l.Close(true)
		go func() { l.poll.Close(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(patient):
			t.Fatalf("with bytes to send: %t: a goroutine of the link waits for ever", sends)
		}
	}
}
