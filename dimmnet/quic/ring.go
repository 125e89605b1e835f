package quic

import "sync"

// ring is a bounded buffer of bytes between a thread of a node, which never waits (put,
// take), and a goroutine that reads or writes a stream, and waits here when it is full
// (space) or empty (rest).
type ring struct {
	mu     sync.Mutex
	turned sync.Cond // signalled to the goroutine
	buf    []byte
	lo, hi uint64 // bytes taken and put so far
	ended  error  // nothing is put any more, why
	over   bool   // nothing is taken any more
	wanted bool   // the thread wants room
}

const (
	ringBytes = 256 << 10
	// chunkBytes is the most that a stream is given at once: what it has been given has
	// no room for others until it has taken all.
	chunkBytes = 64 << 10
)

func newRing() *ring {
	r := &ring{buf: make([]byte, ringBytes)}
	r.turned.L = &r.mu
	return r
}

// free is where bytes are put next, and bytes are those that are taken next: as many as
// there are in one piece. The lock is held.
func (r *ring) free() []byte {
	at, n := int(r.hi%ringBytes), ringBytes-int(r.hi-r.lo)
	return r.buf[at:min(at+n, ringBytes)]
}

func (r *ring) bytes() []byte {
	at, n := int(r.lo%ringBytes), int(r.hi-r.lo)
	return r.buf[at:min(at+n, ringBytes)]
}

// put copies the first bytes of p, as many as there is room for. After the end it returns
// why that was.
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
	r.turned.Signal()
	return n, nil
}

// take copies the first bytes to p. When there are none and will be none it returns why.
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
	r.turned.Signal()
	return n, nil
}

// space waits for a place to which bytes may be read, which filled then counts.
func (r *ring) space() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.over && r.hi-r.lo == ringBytes {
		r.turned.Wait()
	}
	if r.over {
		return r.buf // for bytes that nobody wants
	}
	return r.free()
}

func (r *ring) filled(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.hi += uint64(n)
	}
}

// rest waits for bytes that are to be written, which sent then counts: none after the end.
func (r *ring) rest() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.ended == nil && r.lo == r.hi {
		r.turned.Wait()
	}
	b := r.bytes()
	return b[:min(len(b), chunkBytes)]
}

func (r *ring) sent(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lo += uint64(n)
}

// end notes why nothing is put any more, unless it has ended before.
func (r *ring) end(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended == nil {
		r.ended = why
	}
	r.turned.Signal()
}

// drop notes that nothing is taken any more.
func (r *ring) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	r.turned.Signal()
}

// want notes whether the thread wants room.
func (r *ring) want(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted = on
}

// readable says whether take has something to say, unless all is dropped.
func (r *ring) readable() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.over && (r.lo < r.hi || r.ended != nil)
}

// roomy says whether there is room that is wanted, or never will be.
func (r *ring) roomy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.wanted && (r.hi-r.lo < ringBytes || r.ended != nil)
}

// hasEnded says whether nothing is put any more.
func (r *ring) hasEnded() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended != nil
}
