package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// inbox receives the frames of a peer. Small frames go through a buffer; the payload of a large
// piece is read straight into memory. Only one thread at a time uses an inbox.
type inbox struct {
	stream    Stream
	nic       *nic
	out       *outbox
	order     *atomic.Uint64 // run.order
	events    events
	buf       []byte
	lo, hi    int          // bounds of the bytes in buf that are not parsed
	number    uint32       // number of the next frame
	landed    uint64       // frames whose effects are visible
	piece     header       // header of the large piece that is being read
	direct    []byte       // where the rest of the large piece goes; empty between pieces
	sum       uint32       // checksum of the bytes of the large piece so far
	more      bool         // another piece of the same move follows
	receives  [][]byte     // unfilled destinations of zero-copy sends, oldest first
	emptied   [][]byte     // memory for receives
	receiving atomic.Int32 // len(receives), for other threads
	extra     int          // how much longer than a frame a read into buf may be
	blocked   bool         // the frame at lo is a zero-copy piece, and receives is empty
	abandoned bool         // zero-copy pieces are discarded
	goodbye   bool         // the peer posts nothing more
}

// events handles frames that do not access memory.
type events interface {
	notified(times uint32)
	failed(because dimmnet.Rank, why string, gone bool)
	saidGoodbye()
	saidAlive(hears bool)
}

const (
	inboxBytes  = 64 << 10
	maxFrame    = headerBytes + smallBytes // the longest frame that goes through the buffer
	readsAtOnce = 16                       // bounds one call of receive
)

// receive reads and applies frames. came says that bytes have arrived. in.landed changes if they
// had an effect. receive is not called after an error.
func (in *inbox) receive() (came bool, err error) {
	for in.out.remote != nil {
		m, ok := in.out.moved()
		if !ok {
			break
		}
		in.nic.LLCM.Store(m.done, uint64(m.n), word)
		in.landed++
		came = true
	}
	if in.blocked {
		if len(in.receives) == 0 && !in.abandoned {
			return came, nil
		}
		in.blocked, came = false, true
		if err := in.parse(); err != nil {
			return came, badFrame{err}
		}
		if len(in.direct) == 0 && !in.stream.Buffered() {
			return came, nil // the bytes for the Receive had already been read
		}
	}
	for i := 0; !in.blocked && (i < readsAtOnce || in.stream.Buffered()); i++ {
		space := in.space()
		n, full, err := readBoth(in.stream, in.direct, space)
		if err != nil {
			return came, err
		}
		if n == 0 {
			break
		}
		came = true
		in.order.Load()
		if direct := min(n, len(in.direct)); direct > 0 {
			n -= direct
			if err := in.pieceRead(direct); err != nil {
				return came, badFrame{err}
			}
		}
		in.hi += n
		if err := in.parse(); err != nil {
			return came, badFrame{err}
		}
		if !full {
			break // the stream is empty
		}
		in.grow()
	}
	return came, nil
}

type badFrame struct{ error }

// space returns the part of the buffer for the next read, which first fills in.direct. Before the
// next piece of a move it is only as long as a header. Otherwise, after a large piece, it is not
// much longer than a frame: bytes of pieces that go through the buffer are copied twice.
func (in *inbox) space() []byte {
	if in.lo == in.hi {
		in.lo, in.hi = 0, 0
		if len(in.direct) > 0 && !in.piece.last() || len(in.direct) == 0 && in.more {
			return in.buf[:headerBytes]
		}
	}
	if len(in.buf)-in.lo < maxFrame {
		in.lo, in.hi = 0, copy(in.buf, in.buf[in.lo:in.hi])
	}
	return in.buf[in.hi:min(len(in.buf), max(in.hi, in.lo+maxFrame)+in.extra)]
}

// grow makes further reads longer, because the last read filled the buffer.
func (in *inbox) grow() { in.extra = min(2*in.extra+maxFrame, inboxBytes) }

func (in *inbox) parse() error {
	for in.hi-in.lo >= headerBytes {
		h, err := decode(in.buf[in.lo:in.hi], &in.nic.limits, in.nic.sums)
		if err != nil {
			return err
		}
		if h.number != in.number {
			return fmt.Errorf("frame number %d, want %d", h.number, in.number)
		}
		if err := in.allowed(&h); err != nil {
			return err
		}
		rest := in.buf[in.lo+headerBytes : in.hi]
		if h.kind == zeroCopy && len(in.receives) == 0 && !in.abandoned {
			in.blocked = true
			return nil
		}
		if h.n > smallBytes {
			in.number++
			in.piece, in.sum, in.direct, in.extra = h, 0, in.destination(&h), maxFrame
			n := copy(in.direct, rest)
			in.lo += headerBytes + n
			if err := in.pieceRead(n); err != nil {
				return err
			}
			continue
		}
		if len(rest) < h.n {
			return nil
		}
		in.number++
		in.lo += headerBytes + h.n
		payload := rest[:h.n]
		if sum := in.nic.sums.of(payload); sum != h.payload {
			return fmt.Errorf("%v frame with payload checksum %#08x, want %#08x", h.kind, h.payload, sum)
		}
		if err := in.apply(&h, payload); err != nil {
			return err
		}
		in.landed++
	}
	return nil
}

func (in *inbox) allowed(h *header) error {
	switch h.kind {
	case pulled:
		return in.out.checkAnswer(h)
	case pushed, failure, alive:
		return nil
	case zeroCopy:
		if len(in.receives) > 0 && (h.n > len(in.receives[0]) || (h.n == len(in.receives[0])) != h.last()) {
			return fmt.Errorf("zero-copy piece of %d bytes, last %t: this rank receives %d", h.n, h.last(), len(in.receives[0]))
		}
	}
	if in.goodbye {
		return fmt.Errorf("%v frame after a goodbye", h.kind)
	}
	return nil
}

func (in *inbox) destination(h *header) []byte {
	switch {
	case h.kind != zeroCopy:
		return in.nic.bytes(h.off, h.n)
	case in.abandoned:
		return make([]byte, h.n)
	}
	return in.receives[0][:h.n]
}

// addReceive adds p as the destination of the next len(p) bytes that the peer sends by zero-copy.
func (in *inbox) addReceive(p []byte) {
	if len(in.receives) == 0 {
		in.receives = in.emptied[:0]
	}
	in.receives = append(in.receives, p)
	if len(in.receives) == 1 {
		in.emptied = in.receives
	}
	in.receiving.Add(1)
}

// zeroCopyReceived removes a piece that is in place from the front of the oldest Receive.
func (in *inbox) zeroCopyReceived(h *header) {
	if in.abandoned {
		return
	}
	if in.receives[0] = in.receives[0][h.n:]; len(in.receives[0]) == 0 {
		in.receives = in.receives[1:]
		in.receiving.Add(-1)
	}
}

func (in *inbox) abandon() {
	if s, ok := in.stream.(Reader); ok {
		s.EndRead()
	}
	in.receives, in.abandoned = nil, true
	in.receiving.Store(0)
	if len(in.direct) > 0 && in.piece.kind == zeroCopy {
		in.direct = make([]byte, len(in.direct))
	}
}

// pieceRead records that n more bytes of a large piece are in place.
func (in *inbox) pieceRead(n int) error {
	if in.piece.arg&argUnsummed == 0 {
		in.sum = in.nic.sums.ofPiece(in.sum, in.direct[:n])
	}
	if in.direct = in.direct[n:]; len(in.direct) > 0 {
		return nil
	}
	if in.sum != in.piece.payload {
		return fmt.Errorf("%v piece with checksum %#08x, want %#08x", in.piece.kind, in.piece.payload, in.sum)
	}
	in.landed++
	return in.pieceLanded(&in.piece)
}

func (in *inbox) apply(h *header, payload []byte) error {
	switch h.kind {
	case store:
		in.nic.LLCM.Store(h.off, binary.LittleEndian.Uint64(payload), int(h.arg))
	case block:
		in.nic.LLCM.Write(h.off, payload)
	case push, pulled:
		words, at := in.nic.AtNetwork(h.off)
		words.Write(at, payload)
		return in.pieceLanded(h)
	case pushed:
		m, err := in.out.endPush()
		if err != nil {
			return err
		}
		in.nic.LLCM.Store(m.done, uint64(m.n), word)
	case pull:
		r, err := decodeRequest(payload, h.off, &in.nic.limits)
		if err != nil {
			return err
		}
		return in.out.answer(h.off, r)
	case zeroCopy:
		if !in.abandoned {
			copy(in.receives[0], payload)
		}
		return in.pieceLanded(h)
	case notify:
		in.events.notified(uint32(h.off))
	case failure:
		in.events.failed(dimmnet.Rank(binary.LittleEndian.Uint16(payload)), string(payload[rankBytes:]), h.arg == 1)
	case goodbye:
		in.goodbye = true
		in.events.saidGoodbye()
	case alive:
		in.events.saidAlive(h.arg == 1)
	default:
		return errors.New("frame of unknown kind")
	}
	return nil
}

// pieceLanded acknowledges a Push after its last piece, and completes a Pull after its last.
func (in *inbox) pieceLanded(h *header) error {
	in.more = !h.last()
	if h.kind == zeroCopy {
		in.zeroCopyReceived(h)
		return nil
	}
	if h.kind == pulled {
		if m, ended := in.out.advance(h); ended {
			in.nic.LLCM.Store(m.done, uint64(m.n), word)
		}
		return nil
	}
	if in.more {
		return nil
	}
	return in.out.control(pushed, 0, nil)
}
