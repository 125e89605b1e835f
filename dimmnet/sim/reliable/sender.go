package reliable

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// outgoing is an entry of the queue: a datagram that is unacknowledged or follows such a datagram.
type outgoing struct {
	payload []byte
	tries   int
	first   dimmnet.Time // when it was first sent
	at      dimmnet.Time // when it was last sent
	order   uint64       // sequence number of its last transmission
	passed  int          // number of datagrams that left later and have been acknowledged
	again   bool         // the datagram must be sent again
	known   bool         // the datagram was acknowledged
}

type sender struct {
	base    uint64 // the number of queue[0]
	queue   []outgoing
	fresh   int // datagrams of the queue that have been sent
	order   uint64
	timeout estimator
}

// reordered is the number of later datagrams whose acknowledgement proves a datagram lost.
const reordered = 3

func (s *sender) pick() int {
	for i := range s.queue[:s.fresh] {
		if s.queue[i].again {
			return i
		}
	}
	if s.fresh < len(s.queue) {
		return s.fresh
	}
	return -1
}

func (s *sender) leaves(i int, now dimmnet.Time) {
	o := &s.queue[i]
	if o.tries == 0 {
		o.first = now
		s.fresh++
	}
	s.order++
	o.tries++
	o.at, o.order, o.passed, o.again = now, s.order, 0, false
}

// expire marks datagrams that timed out. It fails if a datagram was sent Config.Tries times.
func (s *sender) expire(cfg *Config, now dimmnet.Time) error {
	wait, over := s.timeout.timeout(cfg), false
	for i := range s.queue[:s.fresh] {
		o := &s.queue[i]
		if o.known || o.again || now-o.at < wait {
			continue
		}
		if o.tries >= cfg.Tries {
			return fmt.Errorf("reliable: datagram %d of %d bytes was sent %d times in %v without an acknowledgement",
				s.base+uint64(i), len(o.payload), o.tries, now-o.first)
		}
		o.again, over = true, true
	}
	if over {
		s.timeout.doubled++
	}
	return nil
}

func (s *sender) deadline(cfg *Config) (at dimmnet.Time, ok bool) {
	if s.pick() >= 0 {
		return 0, true
	}
	for i := range s.queue[:s.fresh] {
		if o := &s.queue[i]; !o.known && (!ok || o.at < at) {
			at, ok = o.at, true
		}
	}
	return at + s.timeout.timeout(cfg), ok
}

func (s *sender) check(h header) error {
	if end := s.base + uint64(s.fresh); h.last() >= end {
		return fmt.Errorf("reliable: acknowledgement of datagram %d: the last one sent was %d", h.last(), end-1)
	}
	return nil
}

func (s *sender) acknowledged(h header, now dimmnet.Time) {
	for i := range s.queue[:s.fresh] {
		o := &s.queue[i]
		if o.known || !h.has(s.base+uint64(i)) {
			continue
		}
		o.known, o.again = true, false
		if o.tries == 1 { // otherwise it is unknown which transmission was acknowledged
			s.timeout.measure(now - o.at)
			s.passes(o.order)
		}
	}
	gone := 0
	for gone < s.fresh && s.queue[gone].known {
		gone++
	}
	s.queue = append(s.queue[:0], s.queue[gone:]...)
	s.base += uint64(gone)
	s.fresh -= gone
}

// passes counts an acknowledged datagram, given its transmission order, at all unacknowledged
// datagrams sent before. It marks those that reach the limit for sending again.
func (s *sender) passes(order uint64) {
	for i := range s.queue[:s.fresh] {
		o := &s.queue[i]
		if o.known || o.order > order {
			continue
		}
		if o.passed++; o.passed == reordered {
			o.again = true
		}
	}
}
