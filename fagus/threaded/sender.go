package threaded

import (
	"encoding/binary"
	"slices"

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

	// What has its slot so far.
	word int  // how many of the words
	said bool // the message itself
	cut  int  // how many cuts of the stream
}

// sender sends messages through the rings to the peers: one after another, or, if it has more than
// one lane, one to each of several peers at a time.
type sender struct {
	e     *Engine
	h     dimmnet.Host
	port  dimmnet.Port
	rings []*ringbuf.Sender // by rank
	lanes []*lane           // the messages under way, each to another rank
	spare []*lane
	width int // the most lanes
}

// lane is a message under way.
type lane struct {
	out  outgoing
	ring *ringbuf.Sender

	head   ringbuf.Header
	body   []byte // the contents of the slot
	filled bool   // there is a slot to send: head and body
	put    bool   // Step has put the slot into the ring
}

func newSender(e *Engine, h dimmnet.Host, p dimmnet.Port) *sender {
	s := &sender{e: e, h: h, port: p, rings: make([]*ringbuf.Sender, e.nodes), width: 1}
	if e.trees {
		s.width = e.nodes
	}
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
		if !s.fill() {
			continue
		}
		if err := dimmnet.Drive(s.port, s, s.posted); err != nil {
			return err
		}
		for _, l := range s.lanes {
			if l.posted() && e.notices {
				s.h.Notify(l.out.to)
			}
		}
	}
}

// take makes messages of the out queue the ones under way, as many as there are lanes, but only one
// to each rank, so that messages to one rank stay in order. It returns false if none is under way.
// The lock is held.
func (s *sender) take() bool {
	e := s.e
	for i := 0; i < len(e.out) && len(s.lanes) < s.width; {
		to := e.out[i].to
		if slices.ContainsFunc(s.lanes, func(l *lane) bool { return l.out.to == to }) {
			i++
			continue
		}
		if len(e.out) >= outLimit {
			e.wake(user)
		}
		l := &lane{body: make([]byte, 0, e.layout.SlotBytes)}
		if n := len(s.spare); n > 0 {
			l, s.spare = s.spare[n-1], s.spare[:n-1]
		}
		*l = lane{out: e.out[i], ring: s.rings[to], body: l.body}
		s.lanes = append(s.lanes, l)
		if i == 0 {
			e.out = e.out[1:]
		} else {
			e.out = slices.Delete(e.out, i, i+1)
		}
	}
	return len(s.lanes) > 0
}

// fill fills the next slot of every lane whose last one is posted, and ends lanes that have none.
// It returns false if no lane is left.
func (s *sender) fill() bool {
	lanes := s.lanes
	s.lanes = s.lanes[:0]
	for _, l := range lanes {
		if l.filled && !l.posted() || s.next(l) {
			s.lanes = append(s.lanes, l)
		} else {
			s.spare = append(s.spare, l)
		}
	}
	return len(s.lanes) > 0
}

// next fills the next slot of a message. It returns false if all are filled.
func (s *sender) next(l *lane) bool {
	o := &l.out
	switch {
	case o.word < len(o.words):
		s.fillWords(l)
	case !o.said:
		o.said = true
		l.body = o.m.append(l.body[:0])
		l.head = ringbuf.Header{Kind: ringbuf.Control, Last: true, Sender: s.e.rank, Len: len(l.body)}
	case o.stream == nil || !s.fillCut(l):
		return false
	}
	l.filled, l.put = true, false
	return true
}

func (s *sender) fillWords(l *lane) {
	at, words := l.out.word, l.out.words
	n := min(len(words)-at, s.e.layout.SlotBytes/dimmnet.WordBytes)
	l.out.word += n
	l.body = l.body[:0]
	for _, w := range words[at:][:n] {
		l.body = binary.LittleEndian.AppendUint64(l.body, w)
	}
	l.head = ringbuf.Header{Kind: ringbuf.List, Last: l.out.word == len(words), Sender: s.e.rank, Len: len(l.body), Addr: uint64(at)}
}

// fillCut copies the bytes of the next cut from program memory. It returns false if there is none,
// and on a closed engine.
func (s *sender) fillCut(l *lane) bool {
	c, last, ok := s.copy(l)
	if !ok {
		return false
	}
	s.h.Charge(dimmnet.Give, c.Len())
	l.head = ringbuf.Header{Kind: ringbuf.Data, Last: last, Sender: s.e.rank,
		Len: c.Len(), Addr: uint64(c.Lo), Age: c.Age}
	return true
}

func (s *sender) copy(l *lane) (c consistency.Cut, last, ok bool) {
	s.e.mu.Lock()
	defer s.e.unlock() // parking wakes nobody
	e, o := s.e, &l.out
	switch {
	case e.closed || o.cut == len(o.stream.Cuts) && o.stream.Complete:
		return c, false, false
	case o.cut == len(o.stream.Cuts):
		e.park(o)
		return c, false, false
	}
	c = o.stream.Cuts[o.cut]
	o.cut++
	if last = o.stream.Complete && o.cut == len(o.stream.Cuts); last {
		e.flowing--
	}
	e.counts.Slots++
	l.body = append(l.body[:0], e.space.Bytes(c.Range)...)
	return c, last, true
}

// busy reports whether a message is under way.
func (s *sender) busy() bool { return len(s.lanes) > 0 }

// posted reports whether a slot of the lane is posted.
func (l *lane) posted() bool { return l.put && !l.ring.Busy() }

// posted reports whether a slot of any lane is posted, so that the lane can be filled.
func (s *sender) posted() bool { return slices.ContainsFunc(s.lanes, (*lane).posted) }

// Step puts the slots into the rings that have a free slot, and posts them.
func (s *sender) Step() (progress bool, err error) {
	for _, l := range s.lanes {
		if !l.put {
			if !l.ring.Ready() {
				continue
			}
			l.ring.Put(l.head, l.body)
			l.put, progress = true, true
		}
		if l.ring.Step() {
			progress = true
		}
	}
	return progress, nil
}
