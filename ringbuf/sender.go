package ringbuf

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// lap is the number of a lap of the ring, which is one use of all its slots. Laps count from 1 to
// 255 and again from 1. Flags hold laps; a flag that was never written is 0.
type lap uint8

func (l lap) next() lap {
	if l == 255 {
		return 1
	}
	return l + 1
}

func flag(p dimmnet.Port, off dimmnet.Offset) lap {
	word := p.Load(off &^ (dimmnet.WordBytes - 1))
	return lap(word >> (8 * (off % dimmnet.WordBytes)))
}

// Sender is the sending end of the ring to one peer.
type Sender struct {
	port   dimmnet.Port
	layout *Layout
	peer   dimmnet.Rank

	slot int
	now  lap // the present lap
	past lap // the lap before; 0 in the first lap, when all slots are free

	stage  stage
	w0, w1 uint64 // the header of the message under way
	data   []byte // the data of the message under way
	pos    int    // how many bytes of data are posted
}

type stage uint8

const (
	idle        stage = iota // no message is under way; the slot may not be free
	ready                    // no message is under way; the slot is free
	wantHeader               // post the first header word
	wantHeader2              // post the second header word
	wantData                 // post the rest of the data
	wantFlag                 // post the send-complete flag
)

// NewSender returns the sending end of the ring to peer.
func NewSender(p dimmnet.Port, l *Layout, peer dimmnet.Rank) *Sender {
	return &Sender{port: p, layout: l, peer: peer, now: 1}
}

// Busy reports whether a message is under way.
func (s *Sender) Busy() bool { return s.stage > ready }

// Ready reports whether Put may be called: no message is under way, and the peer has emptied the
// next slot.
func (s *Sender) Ready() bool {
	// (1) poll the receive-complete flag of the slot
	if s.stage == idle && flag(s.port, s.layout.received(s.port.Rank(), s.peer, s.slot)) == s.past {
		s.stage = ready
	}
	return s.stage == ready
}

// Put begins a message, which Step posts. Ready must have returned true. data has h.Len bytes and
// must not change until Busy returns false.
func (s *Sender) Put(h Header, data []byte) {
	if s.stage != ready || len(data) != h.Len || h.Len > s.layout.SlotBytes {
		panic(fmt.Sprintf("ringbuf: put of %d bytes with header length %d in stage %d", len(data), h.Len, s.stage))
	}
	s.w0, s.w1 = h.Encode()
	s.data, s.pos = data, 0
	s.stage = wantHeader
}

// Step posts as much of the message as the port takes, by the numbered steps of the papers
// (docs/lab/papers.md, Fagus, LLCM ring buffers), and reports whether it posted anything.
func (s *Sender) Step() (progress bool) {
	own := s.port.Rank()
	for {
		switch s.stage {
		case idle, ready:
			return progress
		case wantHeader: // (2) AOTF the header
			if !s.port.Store(s.peer, s.layout.header(s.peer, own, s.slot), s.w0, 8) {
				return progress
			}
		case wantHeader2:
			if !s.port.Store(s.peer, s.layout.header(s.peer, own, s.slot)+8, s.w1, 8) {
				return progress
			}
		case wantData: // (3) BOTF the data
			if s.pos < len(s.data) {
				n := min(s.port.Limits().Block, len(s.data)-s.pos)
				to := s.layout.data(s.peer, own, s.slot) + dimmnet.Offset(s.pos)
				if !s.port.Write(s.peer, to, s.data[s.pos:s.pos+n]) {
					return progress
				}
				s.pos += n
				progress = true
				continue
			}
		case wantFlag:
			// (4) AOTF the send-complete flag. The flag goes last: its landing proves
			// that the data have landed.
			if !s.port.Store(s.peer, s.layout.sent(s.peer, own, s.slot), uint64(s.now), flagBytes) {
				return progress
			}
			s.advance()
			return true
		}
		s.stage++
		progress = true
	}
}

// advance goes to the next slot, which is step (5). A new lap expects other values of the
// receive-complete flags, so all of them count as "not yet".
func (s *Sender) advance() {
	s.stage, s.data = idle, nil
	if s.slot++; s.slot == s.layout.Slots {
		s.slot, s.past, s.now = 0, s.now, s.now.next()
	}
}
