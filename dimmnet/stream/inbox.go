package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// inbox is what comes from a peer: frames, of which small ones go through a buffer and
// large pieces of moves straight to their place. One thread at a time reads it.
type inbox struct {
	stream Stream
	nic    *nic
	out    *outbox
	order  *atomic.Uint64 // of the crew
	ears   ears
	buf    []byte
	lo, hi int          // of what is in buf and was not understood yet
	number uint32       // of the next frame
	head   header       // of the piece that comes
	direct []byte       // where the rest of it goes
	sum    uint32       // of what of it is here
	more   bool         // another piece will follow
	takes  [][]byte     // where what the peer gives goes; of the first, what is not here
	coming atomic.Int32 // so many there are
	stuck  bool         // the frame at lo is a gift that nobody takes yet
	drops  bool         // nobody will
	gone   bool         // the peer posts nothing more
}

// ears are told what is not a matter of memory.
type ears interface {
	notified(times uint32)
	failed(because dimmnet.Rank, why string)
	farewell()
}

const (
	inboxBytes  = 64 << 10
	maxFrame    = headerBytes + smallBytes // that goes through the buffer
	readsAtOnce = 16
)

// receive reads what has come and does what it says. came says whether there was
// anything. After an error nothing more may be read.
func (in *inbox) receive() (came bool, err error) {
	if in.stuck {
		if len(in.takes) == 0 && !in.drops {
			return false, nil
		}
		in.stuck, came = false, true
		if err := in.parse(); err != nil {
			return came, badFrame{err}
		}
	}
	for i := 0; !in.stuck && (i < readsAtOnce || in.stream.Held()); i++ {
		place := in.space()
		n, err := in.stream.Read(place)
		if err != nil {
			return came, err
		}
		if n == 0 {
			break
		}
		came = true
		in.order.Load()
		if len(in.direct) > 0 {
			err = in.landed(n)
		} else {
			in.hi += n
			err = in.parse()
		}
		if err != nil {
			return came, badFrame{err}
		}
		if n < len(place) {
			break // more would be there otherwise
		}
	}
	return came, nil
}

// badFrame is what is wrong with the bytes that a peer has sent.
type badFrame struct{ error }

// space is where the next bytes go. Between the pieces of a move that is only a header,
// so that the next piece can be read to its place.
func (in *inbox) space() []byte {
	if len(in.direct) > 0 {
		return in.direct
	}
	if in.lo == in.hi {
		in.lo, in.hi = 0, 0
		if in.more {
			return in.buf[:headerBytes]
		}
	}
	if len(in.buf)-in.lo < maxFrame {
		in.lo, in.hi = 0, copy(in.buf, in.buf[in.lo:in.hi])
	}
	return in.buf[in.hi:]
}

// parse does what the frames in the buffer say.
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
		if h.kind == gift && len(in.takes) == 0 && !in.drops {
			in.stuck = true
			return nil
		}
		if h.n > smallBytes {
			in.number++
			in.head, in.sum, in.direct = h, 0, in.piece(&h)
			n := copy(in.direct, rest)
			in.lo += headerBytes + n
			if err := in.landed(n); err != nil {
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
			return fmt.Errorf("%v with a checksum of %#08x, it says %#08x", h.kind, sum, h.payload)
		}
		if err := in.apply(&h, payload); err != nil {
			return err
		}
	}
	return nil
}

// allowed says what is wrong with a frame at this time.
func (in *inbox) allowed(h *header) error {
	switch h.kind {
	case pulled:
		return in.out.expect(h)
	case pushed, failure:
		return nil
	case gift:
		if len(in.takes) > 0 && (h.n > len(in.takes[0]) || (h.n == len(in.takes[0])) != (h.arg == 1)) {
			return fmt.Errorf("it gives %d bytes, the last of it: %v; %d are to come", h.n, h.arg == 1, len(in.takes[0]))
		}
	}
	if in.gone {
		return fmt.Errorf("%v after its goodbye", h.kind)
	}
	return nil
}

// piece is where a large piece goes.
func (in *inbox) piece(h *header) []byte {
	switch {
	case h.kind != gift:
		return in.nic.bytes(h.off, h.n)
	case in.drops:
		return make([]byte, h.n)
	}
	return in.takes[0][:h.n]
}

// take says where the next bytes go that the peer gives.
func (in *inbox) take(p []byte) {
	in.takes = append(in.takes, p)
	in.coming.Add(1)
}

// took notes that a piece of what the peer gives is in its place.
func (in *inbox) took(h *header) {
	if in.drops {
		return
	}
	if in.takes[0] = in.takes[0][h.n:]; len(in.takes[0]) == 0 {
		in.takes = in.takes[1:]
		in.coming.Add(-1)
	}
}

// abandon drops what the peer gives from now on.
func (in *inbox) abandon() {
	in.takes, in.drops = nil, true
	in.coming.Store(0)
	if len(in.direct) > 0 && in.head.kind == gift {
		in.direct = make([]byte, len(in.direct))
	}
}

// landed notes that n bytes of a piece have been put to their place.
func (in *inbox) landed(n int) error {
	in.sum = in.nic.sums.ofPiece(in.sum, in.direct[:n])
	if in.direct = in.direct[n:]; len(in.direct) > 0 {
		return nil
	}
	if in.sum != in.head.payload {
		return fmt.Errorf("%v with a checksum of %#08x, it says %#08x", in.head.kind, in.sum, in.head.payload)
	}
	return in.moved(&in.head)
}

// apply does what a frame says whose payload is at hand.
func (in *inbox) apply(h *header, payload []byte) error {
	switch h.kind {
	case store:
		in.nic.llcm.Store(h.off, binary.LittleEndian.Uint64(payload), int(h.arg))
	case block:
		in.nic.llcm.Write(h.off, payload)
	case push, pulled:
		words, at := in.nic.place(h.off)
		words.Write(at, payload)
		return in.moved(h)
	case pushed:
		m, err := in.out.endPush()
		if err != nil {
			return err
		}
		in.nic.llcm.Store(m.done, uint64(m.n), word)
	case pull:
		r, err := decodeRequest(payload, h.off, &in.nic.limits)
		if err != nil {
			return err
		}
		return in.out.answer(h.off, r)
	case gift:
		if !in.drops {
			copy(in.takes[0], payload)
		}
		return in.moved(h)
	case notify:
		in.ears.notified(uint32(h.off))
	case failure:
		in.ears.failed(dimmnet.Rank(binary.LittleEndian.Uint16(payload)), string(payload[rankBytes:]))
	case goodbye:
		in.gone = true
		in.ears.farewell()
	default:
		return errors.New("no frame at all")
	}
	return nil
}

// moved notes that a piece of a move is here.
func (in *inbox) moved(h *header) error {
	in.more = h.arg == 0
	if h.kind == gift {
		in.took(h)
		return nil
	}
	if h.kind == pulled {
		if m, ended := in.out.advance(h); ended {
			in.nic.llcm.Store(m.done, uint64(m.n), word)
		}
		return nil
	}
	if in.more {
		return nil
	}
	return in.out.control(pushed, nil)
}
