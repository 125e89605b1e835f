//go:build ofi && linux && cgo

package ofi

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"time"
)

// link is a stream.Stream to a peer: messages and, for large pieces, memory that the peer reads.
// It is guarded by the lock of the fabric.
type link struct {
	f     *fabric
	rank  int
	peer  uint64 // number of the peer at the endpoint
	heard atomic.Uint64

	queue   []item // received but unread items, oldest first
	held    int    // messages of the peer in queue
	owed    int    // messages that were read, and whose credits are not returned
	credits int    // messages that this rank may send

	outstanding int // messages in send buffers
	offered     *offered
	reading     *reading
	places      [2]exposure // the NIC memory of the peer
	moves       int         // Puts and Gets that have begun
	moved       []int       // ids of the moves that have ended
	owesTaken   bool        // the peer does not yet know that its memory was read
	owesEnd     bool        // the peer does not yet know that this rank sends nothing more
	endSent     bool
	ended       bool // the peer sends nothing more
	err         error
	gone        bool // the peer is gone: nothing waits for it

	notifies bool // NotifyWritable
	ignored  bool // Ignore
	waits    waits
}

// waits says what the last Write or Flush of a link lacked.
type waits uint8

const (
	forNothing waits = iota
	forCredits       // the peer has read too little
	forSpace         // the provider or the send buffers have no space
	forTaken         // the peer has not read the offered memory
	forSends         // messages are on their way
)

// item is a part of the stream: bytes of a receive buffer, or memory of the peer.
type item struct {
	buffer int // noBuffer: memory of the peer
	bytes  []byte
	memory exposure
}

const noBuffer = -1

// offered is own memory that the peer should read.
type offered struct {
	n      int
	region region
	pinner runtime.Pinner
	taken  bool
}

// reading is a read of the peer's memory.
type reading struct {
	n      int
	pinner runtime.Pinner
	ended  bool
	failed bool
}

// eagerBytes is the longest piece that goes in messages, which are copied. A longer piece is read
// by the receiver. That takes four messages one after the other: over TCP, the time of 64 KiB.
const eagerBytes = 64 << 10

func (l *link) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

func (l *link) failure() error {
	if l.err != nil {
		return l.err
	}
	return l.f.brokenBy()
}

// Read implements stream.Stream. A read of the peer's memory begins in one Read and ends in a
// later one with the same p.
func (l *link) Read(p []byte) (int, error) { return l.ReadBoth(p, nil) }

// ReadBoth implements stream.Vectored.
func (l *link) ReadBoth(p, q []byte) (int, error) {
	f := l.f
	f.lock()
	defer f.mu.Unlock()
	if !l.hasBytes() {
		f.progress()
	}
	n, err := l.read(p)
	if n < len(p) || len(q) == 0 || err != nil || !l.hasBytes() {
		return n, err
	}
	k, err := l.read(q)
	return n + k, err
}

// hasBytes reports whether the next item is bytes of a message, and not memory of the peer.
func (l *link) hasBytes() bool { return len(l.queue) > 0 && l.queue[0].buffer != noBuffer }

func (l *link) read(p []byte) (n int, err error) {
	for n < len(p) && len(l.queue) > 0 {
		first := &l.queue[0]
		if first.buffer == noBuffer {
			if n > 0 {
				break
			}
			if n, err = l.readMemory(p); n == 0 {
				break
			}
			return n, err
		}
		k := copy(p[n:], first.bytes)
		first.bytes = first.bytes[k:]
		n += k
		l.consume()
	}
	if n > 0 || err != nil {
		return n, err
	}
	if err := l.failure(); err != nil {
		return 0, err
	}
	if l.ended && len(l.queue) == 0 {
		return 0, io.EOF
	}
	return 0, nil
}

// readMemory reads memory of the peer: it begins the read, or returns its result.
func (l *link) readMemory(p []byte) (n int, err error) {
	memory := &l.queue[0].memory
	if r := l.reading; r != nil {
		if !r.ended || r.failed {
			return 0, nil
		}
		l.reading = nil
		memory.address += uint64(r.n)
		memory.n -= uint64(r.n)
		if memory.n == 0 {
			l.pop()
			l.owesTaken = true
			l.settle()
		}
		return r.n, nil
	}
	if l.failure() != nil {
		return 0, nil
	}
	r := &reading{n: int(min(uint64(len(p)), memory.n))}
	r.pinner.Pin(&p[0])
	if err := l.f.ep.move(l.peer, l.rank, false, p[:r.n], region{}, memory.address, memory.key); err != nil {
		r.pinner.Unpin()
		if err != errAgain {
			l.fail(err)
		}
		return 0, nil
	}
	l.reading = r
	return 0, nil
}

// endReadTime is how long EndRead waits for the peer.
const endReadTime = 200 * time.Millisecond

// EndRead implements stream.Reader. The only way to end a read that hangs is to close the
// endpoint. That ends this rank's part in the run, which has failed.
func (l *link) EndRead() {
	f := l.f
	for deadline := time.Now().Add(endReadTime); ; time.Sleep(leastPause) {
		f.lock()
		if !f.closed {
			f.progress()
		}
		going := !f.closed && l.reading != nil && !l.reading.ended
		if going && time.Now().After(deadline) {
			f.closed = true
			f.group.free(f)
		}
		f.mu.Unlock()
		if !going {
			return
		}
	}
}

func (l *link) readDone(err error) {
	if err != nil {
		l.fail(err)
	}
	if l.reading != nil {
		l.reading.ended, l.reading.failed = true, err != nil
		l.reading.pinner.Unpin()
	}
}

func (l *link) pop() { l.queue = l.queue[:copy(l.queue, l.queue[1:])] }

// consume gives back the receive buffers at the front of the queue that have been read.
func (l *link) consume() {
	for l.hasBytes() && len(l.queue[0].bytes) == 0 {
		l.f.release(l.queue[0].buffer)
		l.pop()
		l.held--
		l.owed++
	}
	l.settle()
}

// settle sends the messages that this rank owes the peer.
func (l *link) settle() {
	if l.err != nil || l.f.closed {
		return
	}
	if l.owesTaken && l.f.control(l, taken) {
		l.owesTaken = false
	}
	if 2*l.owed >= l.f.most {
		l.f.control(l, credit)
	}
	if l.owesEnd && !l.owesTaken && l.f.control(l, end) {
		l.owesEnd, l.endSent = false, true
	}
	if l.owesTaken || l.owesEnd || 2*l.owed >= l.f.most {
		l.f.indebted = true // there was no space: progress tries again
	}
}

// Buffered implements stream.Stream: Wait reports everything that has arrived.
func (l *link) Buffered() bool { return false }

// Write implements stream.Stream.
func (l *link) Write(p []byte, more bool) (int, error) { return l.WriteBoth(p, nil, more) }

// WriteBoth implements stream.Vectored. A long q is offered to the peer, and accepted when the peer
// has read it; until then the caller passes it again.
func (l *link) WriteBoth(p, q []byte, _ bool) (n int, err error) {
	f := l.f
	f.lock()
	defer f.mu.Unlock()
	if err := l.failure(); err != nil {
		return 0, err
	}
	if l.offered != nil {
		if !l.offered.taken {
			f.progress()
		}
		if !l.offered.taken {
			l.waits = forTaken
			return 0, nil
		}
		n = l.offered.n
		l.withdraw()
		return n, nil
	}
	for len(p)+len(q) > 0 {
		if l.credits == 0 {
			f.progress()
		}
		if l.credits == 0 {
			l.waits = forCredits
			break
		}
		a := min(len(p), f.payload)
		if a == len(p) && len(q) > eagerBytes {
			if l.offer(p, q) {
				n += a
			}
			return n, l.err
		}
		b := min(len(q), f.payload-a)
		if a < len(p) {
			b = 0
		}
		if !l.write(data, exposure{}, p[:a], q[:b]) {
			return n, l.err
		}
		n += a + b
		p, q = p[a:], q[b:]
	}
	return n, nil
}

// write sends a message. If there is no space, it tries once more.
func (l *link) write(k kind, e exposure, p, q []byte) bool {
	const reserve = 4 // for taken, credit and end
	if !l.f.send(l, k, e, p, q, reserve) {
		if l.f.progress(); !l.f.send(l, k, e, p, q, reserve) {
			l.waits = forSpace
			return false
		}
	}
	l.credits--
	return true
}

// offer sends p and the place of q.
func (l *link) offer(p, q []byte) (sent bool) {
	o := &offered{n: len(q)}
	o.pinner.Pin(&q[0])
	r, e, err := l.f.ep.expose(q, false)
	if err != nil {
		o.pinner.Unpin()
		l.fail(fmt.Errorf("registering %d bytes: %w", len(q), err))
		return false
	}
	o.region = r
	l.offered = o
	if !l.write(offer, e, p, nil) {
		l.withdraw()
		return false
	}
	l.waits = forTaken
	return true
}

// withdraw hides the offered memory.
func (l *link) withdraw() {
	l.offered.region.hide()
	l.offered.pinner.Unpin()
	l.offered = nil
}

func (l *link) wasTaken() {
	if l.offered == nil || l.offered.taken {
		l.fail(errors.New("it has read memory that was not offered"))
		return
	}
	l.offered.taken = true
}

// Flush implements stream.Stream.
func (l *link) Flush() (clear bool, err error) {
	f := l.f
	f.lock()
	defer f.mu.Unlock()
	if err := l.failure(); err != nil {
		return false, err
	}
	if l.outstanding > 0 {
		f.progress()
	}
	l.waits = forSends
	return l.outstanding == 0, nil
}

// NotifyWritable implements stream.Stream.
func (l *link) NotifyWritable(on bool) {
	l.f.lock()
	defer l.f.mu.Unlock()
	if l.notifies == on {
		return
	}
	l.notifies = on
	if on && l.f.asleep.Load() {
		l.f.Wake() // the sleeper decides anew what it waits for
	}
}

func (l *link) readable() bool {
	switch {
	case l.ignored:
		return false
	case len(l.moved) > 0:
		return true
	case len(l.queue) > 0:
		return l.reading == nil || l.reading.ended || l.failure() != nil
	}
	return l.ended || l.failure() != nil
}

func (l *link) writable() bool {
	if !l.notifies || l.ignored {
		return false
	}
	switch l.waits {
	case forCredits:
		return l.credits > 0
	case forTaken:
		return l.offered == nil || l.offered.taken
	case forSends:
		return l.outstanding == 0
	}
	return true
}

// HungUp implements stream.Stream.
func (l *link) HungUp() bool {
	l.f.lock()
	defer l.f.mu.Unlock()
	return l.ended || l.failure() != nil
}

// CloseWrite implements stream.Stream.
func (l *link) CloseWrite() {
	l.f.lock()
	defer l.f.mu.Unlock()
	if !l.endSent {
		l.owesEnd = true
		l.settle()
	}
}

// Ignore implements stream.Stream.
func (l *link) Ignore() {
	l.f.lock()
	defer l.f.mu.Unlock()
	l.ignored = true
}

// Close implements stream.Stream. The fabric, which is closed last, waits until the link is over.
func (l *link) Close(gone bool) {
	l.CloseWrite()
	l.f.lock()
	defer l.f.mu.Unlock()
	l.gone = l.gone || gone
	for len(l.queue) > 0 { // nobody reads it any more
		if first := l.queue[0]; first.buffer != noBuffer {
			l.f.release(first.buffer)
		}
		l.pop()
	}
}

// over reports whether both ends have announced their end, and everything is on its way.
func (l *link) over() bool {
	return l.gone || l.failure() != nil || l.ended && l.endSent && l.outstanding == 0
}

// drop ends all operations of the link: the endpoint is about to be closed.
func (l *link) drop() {
	if l.offered != nil {
		l.offered.region.hide()
	}
}

// unpin gives memory back to Go: the endpoint is closed.
func (l *link) unpin() {
	if l.offered != nil {
		l.offered.pinner.Unpin()
		l.offered = nil
	}
	if l.reading != nil {
		l.reading.pinner.Unpin()
		l.reading = nil
	}
}
