package threaded

import (
	"encoding/binary"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
)

// outgoing is a message to a rank, the Reduce words sent before it, and the data sent after it.
type outgoing struct {
	to     dimmnet.Rank
	m      message
	words  []uint64
	stream *consistency.Stream
}

// sender sends one message after another through the rings to the peers.
type sender struct {
	e     *Engine
	h     dimmnet.Host
	port  dimmnet.Port
	rings []*ringbuf.Sender // by rank

	out  outgoing // the message under way
	word int      // how many of its words have their slots
	said bool     // the message itself has its slot
	cut  int      // how many of its cuts have their slots

	ring *ringbuf.Sender // the ring of the slot under way; nil before the first
	head ringbuf.Header
	put  bool   // Step has put the slot into the ring
	body []byte // the contents of the slot
}

func newSender(e *Engine, h dimmnet.Host, p dimmnet.Port) *sender {
	s := &sender{e: e, h: h, port: p, rings: make([]*ringbuf.Sender, e.nodes), body: make([]byte, 0, e.layout.SlotBytes), said: true}
	for r := range e.nodes {
		if rank := dimmnet.Rank(r); rank != e.rank {
			s.rings[r] = ringbuf.NewSender(p, &e.layout, rank)
		}
	}
	return s
}

// send is the send thread.
func (e *Engine) send(h dimmnet.Host) error {
	s := newSender(e, h, h.Port())
	for {
		ended, done := false, s.port.Counters()
		err := e.await(send, func() bool {
			e.counters[send] = done
			if s.take() {
				return true
			}
			ended = e.ended
			return ended
		})
		if err != nil || ended {
			return err
		}
		for s.next() {
			if err := dimmnet.Drive(s.port, s, func() bool { return !s.busy() }); err != nil {
				return err
			}
			if s.e.notices {
				s.h.Notify(s.out.to)
			}
		}
	}
}

// take makes the first message of the out queue the one under way. It returns false if there is
// none. The lock is held.
func (s *sender) take() bool {
	e := s.e
	if len(e.out) == 0 {
		return false
	}
	if len(e.out) >= outLimit {
		e.wake(user)
	}
	s.out, e.out = e.out[0], e.out[1:]
	s.word, s.said, s.cut = 0, false, 0
	return true
}

// next fills the next slot of the message under way. It returns false if all are filled.
func (s *sender) next() bool {
	switch {
	case s.word < len(s.out.words):
		s.fillWords()
	case !s.said:
		s.said = true
		s.body = s.out.m.append(s.body[:0])
		s.head = ringbuf.Header{Kind: ringbuf.Control, Last: true, Sender: s.e.rank, Len: len(s.body)}
	case s.out.stream == nil || s.cut == len(s.out.stream.Cuts) || !s.fillCut():
		return false
	}
	s.ring, s.put = s.rings[s.out.to], false
	return true
}

func (s *sender) fillWords() {
	at, words := s.word, s.out.words
	n := min(len(words)-at, s.e.layout.SlotBytes/dimmnet.WordBytes)
	s.word += n
	s.body = s.body[:0]
	for _, w := range words[at:][:n] {
		s.body = binary.LittleEndian.AppendUint64(s.body, w)
	}
	s.head = ringbuf.Header{Kind: ringbuf.List, Last: s.word == len(words), Sender: s.e.rank, Len: len(s.body), Addr: uint64(at)}
}

// fillCut copies the bytes of a cut from program memory. It returns false on a closed engine.
func (s *sender) fillCut() bool {
	cuts := s.out.stream.Cuts
	c := cuts[s.cut]
	if !s.copy(c) {
		return false
	}
	s.cut++
	s.h.Charge(dimmnet.Give, c.Len())
	s.head = ringbuf.Header{Kind: ringbuf.Data, Last: s.cut == len(cuts), Sender: s.e.rank,
		Len: c.Len(), Addr: uint64(c.Lo), Age: c.Age}
	return true
}

func (s *sender) copy(c consistency.Cut) bool {
	s.e.mu.Lock()
	defer s.e.unlock()
	if s.e.closed {
		return false
	}
	s.e.counts.Slots++
	s.body = append(s.body[:0], s.e.space.Bytes(c.Range)...)
	return true
}

// busy reports whether a slot is filled and not posted.
func (s *sender) busy() bool { return s.ring != nil && (!s.put || s.ring.Busy()) }

// Step puts the slot into the ring if the ring has a free slot, and posts it.
func (s *sender) Step() (progress bool, err error) {
	if !s.put {
		if !s.ring.Ready() {
			return false, nil
		}
		s.ring.Put(s.head, s.body)
		s.put, progress = true, true
	}
	return s.ring.Step() || progress, nil
}
