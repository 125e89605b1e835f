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

type sender struct {
	e     *Engine
	h     dimmnet.Host
	port  dimmnet.Port
	rings []*ringbuf.Sender // by rank

	to   dimmnet.Rank
	ring *ringbuf.Sender // the ring of the slot under way
	head ringbuf.Header
	put  bool   // Step has put the slot into the ring
	body []byte // the contents of the slot
}

func (e *Engine) send(h dimmnet.Host) error {
	s := &sender{e: e, h: h, port: h.Port(), rings: make([]*ringbuf.Sender, e.nodes), body: make([]byte, 0, e.layout.SlotBytes)}
	for r := range e.nodes {
		if rank := dimmnet.Rank(r); rank != e.rank {
			s.rings[r] = ringbuf.NewSender(s.port, &e.layout, rank)
		}
	}
	for {
		var out outgoing
		ended, done := false, s.port.Counters()
		err := e.await(send, func() bool {
			e.counters[send] = done
			if len(e.out) == 0 {
				ended = e.ended
				return ended
			}
			if len(e.out) >= outLimit {
				e.wake(user)
			}
			out, e.out = e.out[0], e.out[1:]
			return true
		})
		if err != nil || ended {
			return err
		}
		if err := s.send(out); err != nil {
			return err
		}
	}
}

func (s *sender) send(out outgoing) error {
	s.to, s.ring = out.to, s.rings[out.to]
	if err := s.words(out.words); err != nil {
		return err
	}
	s.body = out.m.append(s.body[:0])
	s.head = ringbuf.Header{Kind: ringbuf.Control, Last: true, Sender: s.e.rank, Len: len(s.body)}
	if err := s.slot(); err != nil || out.stream == nil {
		return err
	}
	for i, c := range out.stream.Cuts {
		if !s.copy(c) {
			return nil
		}
		s.h.Charge(dimmnet.Give, c.Len())
		s.head = ringbuf.Header{Kind: ringbuf.Data, Last: i == len(out.stream.Cuts)-1, Sender: s.e.rank,
			Len: c.Len(), Addr: uint64(c.Lo), Age: c.Age}
		if err := s.slot(); err != nil {
			return err
		}
	}
	return nil
}

func (s *sender) words(words []uint64) error {
	for at, n := 0, 0; at < len(words); at += n {
		n = min(len(words)-at, s.e.layout.SlotBytes/dimmnet.WordBytes)
		s.body = s.body[:0]
		for _, w := range words[at:][:n] {
			s.body = binary.LittleEndian.AppendUint64(s.body, w)
		}
		s.head = ringbuf.Header{Kind: ringbuf.List, Last: at+n == len(words), Sender: s.e.rank, Len: len(s.body), Addr: uint64(at)}
		if err := s.slot(); err != nil {
			return err
		}
	}
	return nil
}

// copy copies the bytes of c from program memory to body. It returns false on a closed engine.
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

func (s *sender) slot() error {
	s.put = false
	err := dimmnet.Drive(s.port, s, func() bool { return s.put && !s.ring.Busy() })
	if err == nil && s.e.notices {
		s.h.Notify(s.to)
	}
	return err
}

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
