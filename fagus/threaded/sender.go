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

	// The parts that have been put into slots:
	word int  // how many of the words
	said bool // whether the message itself
	cut  int  // how many cuts of the stream
}

// sender sends messages through the rings to the peers: one after another, or, with Config.Trees,
// in a lane for each peer.
type sender struct {
	e     *Engine
	h     dimmnet.Host
	port  dimmnet.Port
	rings []*ringbuf.Sender // by rank
	lanes []*lane           // those with messages under way
	spare []*lane
	width int // the most lanes
}

// lane sends messages to one rank. The messages stay in order, and so do the data; but a message
// does not wait for the data of earlier ones.
type lane struct {
	to    dimmnet.Rank
	ring  *ringbuf.Sender
	queue []outgoing // the messages under way; all but the last wait for slots for their data only

	head   ringbuf.Header
	body   []byte // the contents of the slot
	filled bool   // there is a slot to send: head and body
	put    bool   // Step has put the slot into the ring
}

func newSender(e *Engine, h dimmnet.Host, p dimmnet.Port) *sender {
	s := &sender{e: e, h: h, port: p, rings: make([]*ringbuf.Sender, e.nodes), width: 1}
	if e.cfg.Trees {
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
			e.helpers.counters[send] = done
			if s.take() {
				return true
			}
			ended = e.meeting.ended
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
			if l.posted() && e.cfg.Notices {
				s.h.Notify(l.to)
			}
		}
	}
}

// take opens lanes for messages of the out queue, as many as are allowed. It returns false if
// nothing is under way. The lock is held.
func (s *sender) take() bool {
	e := s.e
	for i := 0; i < len(e.out) && len(s.lanes) < s.width; {
		to := e.out[i].to
		if slices.ContainsFunc(s.lanes, func(l *lane) bool { return l.to == to }) {
			i++
			continue
		}
		if len(s.spare) == 0 {
			s.spare = append(s.spare, &lane{body: make([]byte, 0, e.layout.SlotBytes)})
		}
		l := s.spare[len(s.spare)-1]
		s.spare = s.spare[:len(s.spare)-1]
		*l = lane{to: to, ring: s.rings[to], queue: append(l.queue[:0], e.dequeue(i)), body: l.body}
		s.lanes = append(s.lanes, l)
	}
	if s.width > 1 {
		// End waits until all is posted: a rank whose End is over empties no slots.
		if e.sending > 0 && len(s.lanes) == 0 {
			e.wake(user)
		}
		e.sending = len(s.lanes)
	}
	return len(s.lanes) > 0
}

// dequeue removes a message from the out queue. The lock is held.
func (e *Engine) dequeue(i int) outgoing {
	if len(e.out) >= outLimit {
		e.wake(user)
	}
	o := e.out[i]
	if i == 0 {
		e.out = e.out[1:]
	} else {
		e.out = slices.Delete(e.out, i, i+1)
	}
	return o
}

// fill fills the next slot of every lane whose last slot is posted, and ends lanes that have no
// more slots. It returns false if no lane is left.
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

// next fills the next slot of a lane. It returns false if the lane has no more slots.
func (s *sender) next(l *lane) bool {
	l.filled, l.put = true, false
	for {
		if s.width > 1 {
			s.add(l)
		}
		if len(l.queue) == 0 {
			return false
		}
		switch o := &l.queue[len(l.queue)-1]; {
		case o.word < len(o.words):
			s.fillWords(l, o)
			return true
		case !o.said:
			o.said = true
			l.body = o.m.append(l.body[:0])
			l.head = ringbuf.Header{Kind: ringbuf.Control, Last: true, Sender: s.e.rank, Len: len(l.body)}
			return true
		}
		if o := &l.queue[0]; o.stream != nil && s.fillCut(l, o) {
			return true
		}
		l.queue = slices.Delete(l.queue, 0, 1)
	}
}

// add adds the out queue's next message to the lane's rank, when all earlier ones have slots.
func (s *sender) add(l *lane) {
	if n := len(l.queue); n > 0 && !l.queue[n-1].said {
		return
	}
	s.e.mu.Lock()
	defer s.e.unlock()
	if i := slices.IndexFunc(s.e.out, func(o outgoing) bool { return o.to == l.to }); i >= 0 {
		l.queue = append(l.queue, s.e.dequeue(i))
	}
}

func (s *sender) fillWords(l *lane, o *outgoing) {
	at, words := o.word, o.words
	n := min(len(words)-at, s.e.layout.SlotBytes/dimmnet.WordBytes)
	o.word += n
	l.body = l.body[:0]
	for _, w := range words[at:][:n] {
		l.body = binary.LittleEndian.AppendUint64(l.body, w)
	}
	l.head = ringbuf.Header{Kind: ringbuf.List, Last: o.word == len(words), Sender: s.e.rank, Len: len(l.body), Addr: uint64(at)}
}

// fillCut copies the bytes of the next cut from program memory. It returns false if there is no
// next cut, or if the engine is closed.
func (s *sender) fillCut(l *lane, o *outgoing) bool {
	c, last, ok := s.copy(l, o)
	if !ok {
		return false
	}
	s.h.Charge(dimmnet.Give, c.Len())
	l.head = ringbuf.Header{Kind: ringbuf.Data, Last: last, Sender: s.e.rank,
		Len: c.Len(), Addr: uint64(c.Lo), Age: c.Age}
	return true
}

func (s *sender) copy(l *lane, o *outgoing) (c consistency.Cut, last, ok bool) {
	s.e.mu.Lock()
	defer s.e.unlock()
	e := s.e
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
