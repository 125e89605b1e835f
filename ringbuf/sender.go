package ringbuf

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// lap numbers the rounds of a ring as its flags do: 1 to 255, over and over.
// A flag that was never written is 0.
type lap uint8

func (l lap) next() lap {
	if l == 255 {
		return 1
	}
	return l + 1
}

// flag reads a 1-byte flag with one poll of its word.
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
	now  lap // of this round of the ring
	past lap // of the round before; 0 in the first, when all slots are free

	stage  stage
	w0, w1 uint64 // the header of the message under way
	data   []byte // what of it is not posted yet
	pos    int    // how much is
}

type stage uint8

const (
	idle        stage = iota
	ready             // the slot is known to be free
	wantHeader        // the first header word is to be posted
	wantHeader2       // the second
	wantData          // some data are to be posted
	wantFlag          // the send-complete flag is to be posted
)

// NewSender returns the sending end of the ring to peer.
func NewSender(p dimmnet.Port, l *Layout, peer dimmnet.Rank) *Sender {
	return &Sender{port: p, layout: l, peer: peer, now: 1}
}

// Busy says whether a message is under way.
func (s *Sender) Busy() bool { return s.stage > ready }

// Ready says whether a message may be put: none is under way, and the peer has
// emptied the next slot. It polls until that is so.
func (s *Sender) Ready() bool {
	// (1) poll the receive-complete flag of the slot
	if s.stage == idle && flag(s.port, s.layout.received(s.port.Rank(), s.peer, s.slot)) == s.past {
		s.stage = ready
	}
	return s.stage == ready
}

// Put begins a message, after Ready has said yes; Step posts it. Data, of h.Len
// bytes, must rest until Busy is false.
func (s *Sender) Put(h Header, data []byte) {
	if s.stage != ready || len(data) != h.Len || h.Len > s.layout.SlotBytes {
		panic(fmt.Sprintf("ringbuf: put of %d bytes with header length %d in stage %d", len(data), h.Len, s.stage))
	}
	s.w0, s.w1 = h.Encode()
	s.data, s.pos = data, 0
	s.stage = wantHeader
}

// Step moves the message on as far as it goes, by the numbered steps of
// spec/20, and says whether it moved at all. Without a message it does nothing.
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
		case wantFlag: // (4) AOTF the send-complete flag. It goes last: its landing proves that the data landed.
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

// advance is step (5), to the next slot. A new lap expects other flags, which
// marks every own receive-complete flag "not yet".
func (s *Sender) advance() {
	s.stage, s.data = idle, nil
	if s.slot++; s.slot == s.layout.Slots {
		s.slot, s.past, s.now = 0, s.now, s.now.next()
	}
}
