package stream

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/dimmnet"
)

const (
	outboxBytes  = 128 << 10 // of posts that the connection has not taken
	controlBytes = 16 << 10  // more of what the protocol itself sends
	batchBytes   = 64 << 10  // of posts that wait for others
	maxMoves     = 64        // of Pushes, and of Pulls, that a peer has not answered
)

// outbox is what goes to a peer: frames that are gathered in a buffer, and moves of
// memory that are sent from where they are, a piece whenever the buffer is empty.
type outbox struct {
	// waiting says that there is something to send. It is read without the lock.
	waiting atomic.Bool

	mu      sync.Mutex // guards what follows
	stream  Stream
	nic     *nic
	buf     []byte
	sent    int    // of buf
	number  uint32 // of the next frame
	head    []byte // what has not been sent of the header of a piece
	piece   []byte // and of its bytes
	hauls   []haul // moves of which not all pieces have been sent
	notices uint32 // to be told
	answers int    // of the hauls, those that a peer has asked for
	ends    bool   // the piece is the last of what was given at once
	pushes  []move // own ones that the peer has not acknowledged
	pulls   []move // own ones that have not come
	dead    bool   // the connection takes nothing more
	refused bool   // a post was, for want of room
	room    func() // is called when there is some again
	given   func() // is called when the stream has all that was given
	giving  atomic.Int32
	header  [headerBytes]byte
}

// haul is a move of bytes from this memory to that of the peer.
type haul struct {
	kind     kind   // push, pulled or gift
	mem      []byte // a gift: what is left of it; the rest is for the others
	from, to dimmnet.Offset
	n        int
	begun    bool
}

// move is a Push or Pull that waits for its end.
type move struct {
	done dimmnet.Offset
	n    int
	to   dimmnet.Offset // of a Pull: where the next piece goes
	rest int            // of a Pull
}

// post puts a frame into the buffer, unless there is no room, and says whether it has.
func (o *outbox) post(k kind, arg uint8, off dimmnet.Offset, payload []byte) (posted bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.put(k, arg, off, payload)
}

// put is post under the lock.
func (o *outbox) put(k kind, arg uint8, off dimmnet.Offset, payload []byte) (posted bool) {
	if o.dead {
		return false
	}
	if need := headerBytes + len(payload); len(o.buf)-o.sent+need > outboxBytes {
		o.flush()
		if o.dead || len(o.buf)-o.sent+need > outboxBytes {
			o.refused = true
			return false
		}
	}
	o.frame(k, arg, off, payload)
	if len(o.buf)-o.sent >= batchBytes {
		o.flush()
	}
	return true
}

// push posts a move of n bytes to the peer.
func (o *outbox) push(from, to dimmnet.Offset, n int, done dimmnet.Offset) (posted bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dead || len(o.pushes) == maxMoves {
		o.refused = true
		return false
	}
	o.pushes = append(o.pushes, move{done: done, n: n})
	o.hauls = append(o.hauls, haul{kind: push, from: from, to: to, n: n})
	o.waiting.Store(true)
	o.flush()
	return true
}

// give posts p, which rests until giving is 0. Little is copied.
func (o *outbox) give(p []byte) (posted bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(p) <= smallBytes && len(o.hauls) == 0 {
		return o.put(gift, 1, 0, p)
	}
	if o.dead || o.giving.Load() == maxMoves {
		o.refused = true
		return false
	}
	o.giving.Add(1)
	o.hauls = append(o.hauls, haul{kind: gift, mem: p})
	o.waiting.Store(true)
	o.flush()
	return true
}

// gave notes that the stream has all of what was given first. The lock is held.
func (o *outbox) gave() {
	if o.giving.Add(-1) == 0 {
		o.given()
	}
	o.makeRoom()
}

// abandon forgets what was given. The rest of a piece is sent, from a copy.
func (o *outbox) abandon() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.hauls = slices.DeleteFunc(o.hauls, func(h haul) bool { return h.kind == gift })
	o.piece = bytes.Clone(o.piece)
	o.ends = false
	o.giving.Store(0)
}

// pull asks for a move of n bytes from the peer.
func (o *outbox) pull(from, to dimmnet.Offset, n int, done dimmnet.Offset) (posted bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dead || len(o.pulls) == maxMoves || len(o.buf)-o.sent+headerBytes+pullBytes > outboxBytes {
		o.refused = true
		return false
	}
	o.pulls = append(o.pulls, move{done: done, n: n, to: to, rest: n})
	o.frame(pull, 0, from, request{to, n}.append(nil))
	o.flush()
	return true
}

// control sends a frame of the protocol itself, which has room where posts have none.
func (o *outbox) control(k kind, payload []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.buf)-o.sent+headerBytes+len(payload) > outboxBytes+controlBytes {
		return errors.New("it does not take what it is sent")
	}
	if !o.dead {
		o.frame(k, 0, 0, payload)
	}
	return nil
}

// notify tells the peer of a notice. However many wait for room, they are one frame.
func (o *outbox) notify() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.dead {
		o.notices++
		o.waiting.Store(true)
		o.flush()
	}
}

// answer adds a move that the peer has asked for.
func (o *outbox) answer(from dimmnet.Offset, r request) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.answers == maxMoves {
		return errors.New("it asks for more than it may at once")
	}
	if !o.dead {
		o.answers++
		o.hauls = append(o.hauls, haul{kind: pulled, from: from, to: r.to, n: r.n})
		o.waiting.Store(true)
	}
	return nil
}

// frame puts a frame behind the buffer. The lock is held.
func (o *outbox) frame(k kind, arg uint8, off dimmnet.Offset, payload []byte) {
	if o.sent > 0 && len(o.buf)+headerBytes+len(payload) > cap(o.buf) {
		o.buf = o.buf[:copy(o.buf, o.buf[o.sent:])]
		o.sent = 0
	}
	h := header{kind: k, arg: arg, n: len(payload), off: off, number: o.number, payload: o.nic.sums.of(payload)}
	o.number++
	o.buf = append(h.append(o.buf, o.nic.sums), payload...)
	o.waiting.Store(true)
}

// send sends as much as the connection takes.
func (o *outbox) send() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush()
}

// flush is send under the lock.
//
// An error here is not told: what the peer has sent before it ended the connection,
// perhaps why, is still to be read, and who reads will meet the end as well.
func (o *outbox) flush() {
	for !o.dead {
		var n int
		var err error
		switch {
		case len(o.head) > 0:
			n, err = o.stream.Write(o.head, true)
			o.head = o.head[n:]
		case len(o.piece) > 0:
			n, err = o.stream.Write(o.piece, false)
			if o.piece = o.piece[n:]; len(o.piece) == 0 && o.ends {
				o.ends = false
				o.gave()
			}
		case o.sent < len(o.buf):
			n, err = o.stream.Write(o.buf[o.sent:], len(o.hauls) > 0)
			o.sent += n
		case o.notices > 0:
			o.frame(notify, 0, dimmnet.Offset(o.notices), nil)
			o.notices = 0
			continue
		case len(o.hauls) > 0:
			o.nextPiece()
			continue
		default:
			o.buf, o.sent = o.buf[:0], 0
			var clear bool
			if clear, err = o.stream.Flush(); clear {
				o.waiting.Store(false)
				o.stream.Block(false)
				o.makeRoom()
				return
			}
		}
		if err != nil {
			o.die()
		} else if n == 0 {
			o.stream.Block(true)
			break
		}
	}
	if len(o.buf)-o.sent <= outboxBytes/2 {
		o.makeRoom()
	}
}

// makeRoom tells whose post was refused. The lock is held.
func (o *outbox) makeRoom() {
	if o.refused {
		o.refused = false
		o.room()
	}
}

// die drops everything. The lock is held.
func (o *outbox) die() {
	o.dead = true
	o.buf, o.sent, o.head, o.piece, o.hauls, o.ends = nil, 0, nil, nil, nil, false
	o.giving.Store(0)
	o.waiting.Store(false)
	o.makeRoom()
}

// nextPiece begins the next piece of the first haul. The buffer is empty.
//
// Large pieces are whole words at the peer, and go from the memory and into it by system
// calls. Words that a move covers in part at either rank go through buffers, because
// others may store to their other bytes.
func (o *outbox) nextPiece() {
	j := &o.hauls[0]
	if j.kind == gift {
		o.nextGift(j)
		return
	}
	n := j.n
	switch {
	case n <= smallBytes:
	case !j.begun && (j.to|j.from)%word != 0:
		n = 2*word - int(j.to%word)
	case (n|int(j.from))%word != 0:
		n = min((n-word)/word*word, pieceBytes)
	default:
		n = min(n, pieceBytes)
	}
	j.begun = true
	k, from, to, last := j.kind, j.from, j.to, uint8(0)
	if n == j.n {
		last = 1
		if k == pulled {
			o.answers--
		}
		o.hauls = o.hauls[1:]
	} else {
		j.from, j.to, j.n = j.from+dimmnet.Offset(n), j.to+dimmnet.Offset(n), j.n-n
	}
	if n <= smallBytes {
		var small [smallBytes]byte
		words, at := o.nic.place(from)
		words.Read(small[:n], at)
		o.frame(k, last, to, small[:n])
		return
	}
	o.begin(k, last, to, o.nic.bytes(from, n))
}

// nextGift begins the next piece of the first haul, which was given.
func (o *outbox) nextGift(j *haul) {
	n, last := min(len(j.mem), pieceBytes), uint8(0)
	p := j.mem[:n]
	if j.mem = j.mem[n:]; len(j.mem) == 0 {
		last = 1
		o.hauls = o.hauls[1:]
	}
	if n > smallBytes {
		o.begin(gift, last, 0, p)
		o.ends = last == 1
		return
	}
	o.frame(gift, last, 0, p)
	if last == 1 {
		o.gave()
	}
}

// begin begins to send a piece from where it is.
func (o *outbox) begin(k kind, arg uint8, to dimmnet.Offset, p []byte) {
	h := header{kind: k, arg: arg, n: len(p), off: to, number: o.number, payload: o.nic.sums.ofPiece(0, p)}
	o.number++
	o.head, o.piece = h.append(o.header[:0], o.nic.sums), p
}

// endPush is the oldest Push, which has landed.
func (o *outbox) endPush() (move, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.pushes) == 0 {
		return move{}, errors.New("it acknowledges a Push that nobody has posted")
	}
	m := o.pushes[0]
	o.pushes = o.pushes[1:]
	o.makeRoom()
	return m, nil
}

// expect checks that n bytes to off are the next piece of the oldest Pull.
func (o *outbox) expect(h *header) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.pulls) == 0 {
		return errors.New("it answers a Pull that nobody has posted")
	}
	m := &o.pulls[0]
	if h.off != m.to || h.n > m.rest || (h.n == m.rest) != (h.arg == 1) {
		return errors.New("it answers a Pull by other bytes than were asked for")
	}
	return nil
}

// advance notes that a piece of the oldest Pull is here. ended says whether it was the
// last.
func (o *outbox) advance(h *header) (m move, ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := &o.pulls[0]
	p.to, p.rest = p.to+dimmnet.Offset(h.n), p.rest-h.n
	m = *p
	if m.rest == 0 {
		o.pulls = o.pulls[1:]
		o.makeRoom()
	}
	return m, m.rest == 0
}

// quiet says whether nothing is to be sent, and nothing is awaited for what was. If not,
// there will be room when that may have changed.
func (o *outbox) quiet() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refused = !o.dead && (o.waiting.Load() || len(o.pushes)+len(o.pulls) > 0)
	return !o.refused
}

// close drops everything, for ever.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.die()
}
