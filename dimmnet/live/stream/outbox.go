package stream

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
)

const (
	outboxBytes  = 128 << 10 // bounds posts that the stream has not accepted
	controlBytes = 16 << 10  // additional space for frames of the protocol itself
	batchBytes   = 64 << 10  // posts are gathered up to this size
	maxMoves     = 64        // bounds each of Pushes, Pulls and zero-copy sends in progress
)

// sendState is what an outbox writes to its stream next.
//
//	idle, flushing -> sending   a frame, notice or transfer is added
//	sending -> flushing         nothing is left
//	flushing -> idle            the stream has sent everything
//	any -> dead                 the stream fails, or is closed
type sendState uint8

const (
	idle     sendState = iota // nothing: all bytes are on their way
	sending                   // frames in the buffer, with a large piece straight from memory
	flushing                  // nothing, but the stream still buffers bytes
	dead                      // nothing: the stream has ended
)

// outbox sends frames to a peer. Small frames are gathered in a buffer. The payload of a large
// piece is sent straight from memory, after the frames that are in the buffer when the piece
// begins: the last of them is the header of the piece. Frames that are added later follow it.
type outbox struct {
	// waiting is true unless the state is idle or dead. It is read without the lock.
	waiting atomic.Bool

	mu        sync.Mutex // guards the fields below
	stream    Stream
	near      bool // the peer is on this host
	nic       *nic
	state     sendState
	buf       []byte       // encoded frames
	sent      int          // bytes of buf that the stream has accepted
	number    uint32       // number of the next frame
	piece     []byte       // the part of a large piece that the stream has not accepted
	ahead     int          // bytes of buf that go before piece
	completes bool         // the large piece is the last of a zero-copy send
	transfers []transfer   // transfers with pieces that are to be sent, oldest first
	answers   int          // number of transfers that answer a Pull of the peer
	notices   uint64       // number of notices that are not yet in a frame
	pushes    []move       // own Pushes that the peer has not acknowledged
	pulls     []move       // own Pulls that the peer has not answered completely
	remote    Remote       // nil: all Pushes and Pulls go through the stream
	remotes   []move       // Pushes and Pulls of remote, by id; n is 0 in unused entries
	moving    int          // number of them
	refused   bool         // a post was refused since onSpace was called
	onSpace   func()       // called when a refused post may succeed
	onSent    func()       // called when the stream has accepted all zero-copy sends
	sending   atomic.Int32 // number of zero-copy sends that the stream has not accepted
}

// transfer is a move of bytes from this node to the peer. Some of its pieces are still to be sent.
type transfer struct {
	kind     kind           // push, pulled or zeroCopy
	mem      []byte         // zeroCopy: the bytes that are left
	from, to dimmnet.Offset // push, pulled: where the next piece begins
	n        int            // push, pulled: bytes that are left
	begun    bool           // push, pulled: a piece has been sent
}

func (o *outbox) post(k kind, arg uint8, off dimmnet.Offset, payload []byte) (posted bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.postLocked(k, arg, off, payload)
}

func (o *outbox) postLocked(k kind, arg uint8, off dimmnet.Offset, payload []byte) (posted bool) {
	if o.state == dead {
		return false
	}
	if need := headerBytes + len(payload); o.buffered()+need > outboxBytes {
		o.flushLocked()
		if o.state == dead || o.buffered()+need > outboxBytes {
			return o.refuse()
		}
	}
	o.frame(k, arg, off, payload)
	if o.buffered() >= batchBytes {
		o.flushLocked()
	}
	return true
}

func (o *outbox) buffered() int { return len(o.buf) - o.sent }

func (o *outbox) refuse() bool {
	o.refused = true
	return false
}

func (o *outbox) push(from, to dimmnet.Offset, n int, done dimmnet.Offset) (posted bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state == dead || len(o.pushes) == maxMoves {
		return o.refuse()
	}
	if o.remote != nil {
		if posted, taken := o.remotely(o.remote.Put, from, to, n, done); taken {
			return posted
		}
	}
	o.pushes = append(o.pushes, move{done: done, n: n})
	o.transfer(transfer{kind: push, from: from, to: to, n: n})
	o.flushLocked()
	return true
}

func (o *outbox) pull(from, to dimmnet.Offset, n int, done dimmnet.Offset) (posted bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state == dead || len(o.pulls) == maxMoves || o.buffered()+headerBytes+requestBytes > outboxBytes {
		return o.refuse()
	}
	if o.remote != nil {
		if posted, taken := o.remotely(o.remote.Get, from, to, n, done); taken {
			return posted
		}
	}
	o.pulls = append(o.pulls, move{done: done, n: n, to: to, rest: n})
	o.frame(pull, 0, from, request{to, n}.append(nil))
	o.flushLocked()
	return true
}

// sendZeroCopy posts p, which the caller leaves unchanged until sending is 0. A short p is copied.
func (o *outbox) sendZeroCopy(p []byte) (posted bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(p) <= smallBytes && len(o.transfers) == 0 {
		return o.postLocked(zeroCopy, 1, 0, p)
	}
	if o.state == dead || o.sending.Load() == maxMoves {
		return o.refuse()
	}
	o.sending.Add(1)
	o.transfer(transfer{kind: zeroCopy, mem: p})
	o.flushLocked()
	return true
}

// zeroCopySent records that the stream has accepted the oldest zero-copy send. The lock is held.
func (o *outbox) zeroCopySent() {
	if o.sending.Add(-1) == 0 {
		o.onSent()
	}
	o.spaceFreed()
}

// abandon drops all zero-copy sends. If a piece is being sent, the rest of it is sent from a copy.
func (o *outbox) abandon() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.transfers = slices.DeleteFunc(o.transfers, func(t transfer) bool { return t.kind == zeroCopy })
	o.piece = bytes.Clone(o.piece)
	o.completes = false
	o.sending.Store(0)
}

// control adds a frame of the protocol itself. There is space for it even when posts are refused.
func (o *outbox) control(k kind, arg uint8, payload []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.buffered()+headerBytes+len(payload) > outboxBytes+controlBytes {
		return errors.New("the peer sends requests, and does not read the answers")
	}
	if o.state != dead {
		o.frame(k, arg, 0, payload)
	}
	return nil
}

// beat sends a sign of life, unless bytes are already on their way, which are one. hears tells the
// peer whether its beats arrive.
func (o *outbox) beat(hears bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state != idle {
		return
	}
	arg := uint8(0)
	if hears {
		arg = 1
	}
	o.frame(alive, arg, 0, nil)
	o.flushLocked()
}

// notify sends a notice. Notices that wait for space share one frame.
func (o *outbox) notify() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state != dead {
		o.notices++
		o.begin()
		o.flushLocked()
	}
}

func (o *outbox) answer(from dimmnet.Offset, r request) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.answers == maxMoves {
		return errors.New("the peer has more than the allowed number of Pulls in progress")
	}
	if o.state != dead {
		o.answers++
		o.transfer(transfer{kind: pulled, from: from, to: r.to, n: r.n})
	}
	return nil
}

// transfer adds t to the transfers. The lock is held.
func (o *outbox) transfer(t transfer) {
	o.transfers = append(o.transfers, t)
	o.begin()
}

// frame adds a frame to the buffer. The lock is held.
func (o *outbox) frame(k kind, arg uint8, off dimmnet.Offset, payload []byte) {
	o.header(&header{kind: k, arg: arg, n: len(payload), off: off, payload: o.nic.sums.of(payload)})
	o.buf = append(o.buf, payload...)
	o.begin()
}

// header adds h, with the number of the next frame, to the buffer. The lock is held.
func (o *outbox) header(h *header) {
	if o.sent > 0 && len(o.buf)+headerBytes+min(h.n, smallBytes) > cap(o.buf) {
		o.buf = o.buf[:copy(o.buf, o.buf[o.sent:])]
		o.ahead -= o.sent
		o.sent = 0
	}
	h.number = o.number
	o.number++
	o.buf = h.append(o.buf, o.nic.sums)
}

// begin changes to sending if nothing was left to write. The lock is held.
func (o *outbox) begin() {
	if o.state == idle || o.state == flushing {
		o.state = sending
	}
	o.waiting.Store(true)
}

// flush writes as much as the stream accepts.
func (o *outbox) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flushLocked()
}

// flushLocked is flush; the lock is held. It reports no error of the stream: the thread that reads
// the stream will find the end of the stream, and perhaps a frame with the reason before the end.
func (o *outbox) flushLocked() {
	for o.state != idle && o.state != dead {
		progress, err := o.step()
		if err != nil {
			o.die()
		} else if !progress {
			delay.Here()
			o.stream.NotifyWritable(true)
			break
		}
	}
	if o.buffered() <= outboxBytes/2 {
		o.spaceFreed()
	}
}

// step performs the state's action once, and changes the state when the action is complete. It
// reports whether the stream accepted any bytes. The lock is held.
func (o *outbox) step() (progress bool, err error) {
	if o.state == flushing {
		if progress, err = o.stream.Flush(); progress {
			o.state = idle
			o.waiting.Store(false)
			o.stream.NotifyWritable(false)
		}
		return progress, err
	}
	o.gather()
	if o.buffered() == 0 && len(o.piece) == 0 {
		o.buf, o.sent = o.buf[:0], 0
		o.state = flushing
		return true, nil
	}
	return o.write()
}

// gather adds notices and pieces to the buffer, and begins a large piece. The lock is held.
func (o *outbox) gather() {
	for o.notices > 0 && o.buffered() < batchBytes {
		n := min(o.notices, math.MaxUint32)
		o.frame(notify, 0, dimmnet.Offset(n), nil)
		o.notices -= n
	}
	for len(o.piece) == 0 && len(o.transfers) > 0 && o.buffered() < batchBytes {
		o.nextPiece()
	}
}

// write writes the frames that go before the piece, and the piece. The lock is held.
func (o *outbox) write() (progress bool, err error) {
	more := len(o.transfers) > 0
	if len(o.piece) == 0 {
		n, err := o.stream.Write(o.buf[o.sent:], more)
		o.sent += n
		return n > 0, err
	}
	head := o.buf[o.sent:o.ahead]
	n, err := writeBoth(o.stream, head, o.piece, more)
	o.sent += min(n, len(head))
	if o.piece = o.piece[max(n-len(head), 0):]; len(o.piece) == 0 && o.completes {
		o.completes = false
		o.zeroCopySent()
	}
	return n > 0, err
}

// spaceFreed calls onSpace if a post was refused. The lock is held.
func (o *outbox) spaceFreed() {
	if o.refused {
		o.refused = false
		o.onSpace()
	}
}

// die drops all frames and transfers. The lock is held.
func (o *outbox) die() {
	if o.waiting.Load() {
		o.stream.NotifyWritable(false)
	}
	o.state = dead
	o.buf, o.sent, o.piece, o.transfers, o.completes = nil, 0, nil, nil, false
	o.sending.Store(0)
	o.waiting.Store(false)
	o.spaceFreed()
}

// nextPiece starts the next piece of the first transfer. No piece is being sent, and the lock is
// held.
//
// Large pieces consist of whole words at the peer, and system calls move them from and to memory.
// A word that a move covers only in part, at either rank, goes through a buffer, because other
// threads may store to the other bytes of the word.
func (o *outbox) nextPiece() {
	t := &o.transfers[0]
	if t.kind == zeroCopy {
		o.nextZeroCopy(t)
		return
	}
	n := t.n
	switch {
	case n <= smallBytes:
	case !t.begun && (t.to|t.from)%word != 0:
		n = 2*word - int(t.to%word) // aligns the next piece
	case (n|int(t.from))%word != 0:
		n = min((n-word)/word*word, o.mostPiece()) // leaves an unaligned end for the last piece
	default:
		n = min(n, o.mostPiece())
	}
	t.begun = true
	k, from, to, last := t.kind, t.from, t.to, uint8(0)
	if n == t.n {
		last = argLast
		if k == pulled {
			o.answers--
		}
		o.transfers = o.transfers[1:]
	} else {
		t.from, t.to, t.n = t.from+dimmnet.Offset(n), t.to+dimmnet.Offset(n), t.n-n
	}
	if n <= smallBytes {
		var small [smallBytes]byte
		words, at := o.nic.AtNetwork(from)
		words.Read(small[:n], at)
		o.frame(k, last, to, small[:n])
		return
	}
	o.beginPiece(k, last, to, o.nic.bytes(from, n))
}

// nextZeroCopy starts to send the next piece of t, a zero-copy send and the first transfer.
func (o *outbox) nextZeroCopy(t *transfer) {
	n, last := min(len(t.mem), o.mostPiece()), uint8(0)
	p := t.mem[:n]
	if t.mem = t.mem[n:]; len(t.mem) == 0 {
		last = argLast
		o.transfers = o.transfers[1:]
	}
	if n > smallBytes {
		o.beginPiece(zeroCopy, last, 0, p)
		o.completes = last == 1
		return
	}
	o.frame(zeroCopy, last, 0, p)
	if last == 1 {
		o.zeroCopySent()
	}
}

// mostPiece returns the size of the largest piece to the peer.
func (o *outbox) mostPiece() int {
	if o.near {
		return pieceBytes
	}
	return farBytes
}

// beginPiece begins a large piece. Between ranks of one host its payload has no checksum: the
// bytes go from memory to memory and through no device. The system computes none there, either.
func (o *outbox) beginPiece(k kind, arg uint8, to dimmnet.Offset, p []byte) {
	h := header{kind: k, arg: arg, n: len(p), off: to}
	if o.near {
		h.arg |= argUnsummed
	} else {
		h.payload = o.nic.sums.ofPiece(0, p)
	}
	o.header(&h)
	o.piece, o.ahead = p, len(o.buf)
}

// quiet reports whether nothing is left to send and none of this rank's Pushes and Pulls is in
// progress. After a result of false, the outbox calls onSpace when the result may have changed.
func (o *outbox) quiet() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refused = o.state != dead && (o.waiting.Load() || len(o.pushes)+len(o.pulls)+o.moving > 0)
	return !o.refused
}

func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.die()
}
