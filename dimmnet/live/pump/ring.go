package pump

import (
	"fmt"
	"sync"
)

// ring is a bounded buffer of bytes between a thread and a goroutine. The thread puts or takes
// bytes, and never waits. The goroutine writes or reads a connection, and waits while the ring is
// empty (waitBytes) or full (waitFree).
type ring struct {
	mu        sync.Mutex
	changed   sync.Cond // signalled to the goroutine
	buf       []byte
	lo, hi    uint64 // bytes taken so far, and bytes put so far
	ended     error  // the argument of end; nil while bytes may be put
	discarded bool   // bytes are dropped instead of taken
	notifies  bool   // the thread wants to know when the ring is writable
}

const (
	ringBytes = 256 << 10
	// chunkBytes bounds one Write to a connection: the ring cannot reuse the space of these bytes
	// until the connection has accepted all of them.
	chunkBytes = 64 << 10
)

func newRing() *ring {
	r := &ring{buf: make([]byte, ringBytes)}
	r.changed.L = &r.mu
	return r
}

// free returns the contiguous free space in which bytes are put next. The lock is held.
func (r *ring) free() []byte {
	at, n := int(r.hi%ringBytes), ringBytes-int(r.hi-r.lo)
	return r.buf[at:min(at+n, ringBytes)]
}

// bytes returns the contiguous part of the bytes that are taken next. The lock is held.
func (r *ring) bytes() []byte {
	at, n := int(r.lo%ringBytes), int(r.hi-r.lo)
	return r.buf[at:min(at+n, ringBytes)]
}

// put copies as many bytes of p as the ring has space for. After end it returns an error.
func (r *ring) put(p []byte) (n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended != nil {
		return 0, r.ended
	}
	for n < len(p) {
		k := copy(r.free(), p[n:])
		if k == 0 {
			break
		}
		n, r.hi = n+k, r.hi+uint64(k)
	}
	r.changed.Signal()
	return n, nil
}

// take moves bytes to p. When the ring is empty and has ended, it returns the argument of end.
func (r *ring) take(p []byte) (n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lo == r.hi {
		return 0, r.ended
	}
	for n < len(p) {
		k := copy(p[n:], r.bytes())
		if k == 0 {
			break
		}
		n, r.lo = n+k, r.lo+uint64(k)
	}
	r.changed.Signal()
	return n, nil
}

// waitFree waits for free space, and returns it. The caller then passes the bytes used to filled.
func (r *ring) waitFree() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.discarded && r.hi-r.lo == ringBytes {
		r.changed.Wait()
	}
	if r.discarded {
		return r.buf // its contents do not matter
	}
	return r.free()
}

// filled puts the first n bytes of the space that waitFree returned. It panics after end: the
// thread may have seen the end already, and would never take these bytes.
func (r *ring) filled(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n > 0 && r.ended != nil {
		panic(fmt.Sprintf("pump: %d bytes come after the end of a stream: %v", n, r.ended))
	}
	if !r.discarded {
		r.hi += uint64(n)
	}
}

// waitBytes waits for bytes and returns some, or none after end. The caller then calls drained.
func (r *ring) waitBytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.ended == nil && r.lo == r.hi {
		r.changed.Wait()
	}
	b := r.bytes()
	return b[:min(len(b), chunkBytes)]
}

func (r *ring) drained(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lo += uint64(n)
}

// end records that no more bytes are put, and why. Only the first call counts.
func (r *ring) end(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended == nil {
		r.ended = why
	}
	r.changed.Signal()
}

func (r *ring) discard() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.discarded = true
	r.changed.Signal()
}

// notifyWritable sets whether the thread wants to know when the ring is writable.
func (r *ring) notifyWritable(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notifies = on
}

// readable reports whether take would return bytes or an error, unless the ring drops its bytes.
func (r *ring) readable() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.discarded && (r.lo < r.hi || r.ended != nil)
}

// writable reports whether the thread wants to know that the ring has space, or has ended.
func (r *ring) writable() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.notifies && (r.hi-r.lo < ringBytes || r.ended != nil)
}

func (r *ring) hasEnded() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended != nil
}
