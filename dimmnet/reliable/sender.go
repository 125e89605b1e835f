package reliable

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// outgoing is a datagram that the peer has not acknowledged, or of which an older
// one is missing there.
type outgoing struct {
	payload []byte
	tries   int
	first   dimmnet.Time // when it was first sent
	at      dimmnet.Time // when it was last sent
	order   uint64       // of its last transmission, among all
	passed  int          // datagrams that left after it and were acknowledged since
	again   bool         // it is to be sent again
	known   bool         // to have arrived
}

// sender is the half of a Conn that sends.
type sender struct {
	base    uint64 // the number of queue[0]
	queue   []outgoing
	fresh   int // how many of the queue have been sent
	order   uint64
	timeout estimator
}

// reordered is how many later datagrams are acknowledged before one counts as lost.
const reordered = 3

// pick is the next datagram to leave, or -1.
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

// leaves notes that a datagram leaves now.
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

// expire looks for datagrams whose timeout is over; an error if one of them has
// been tried often enough.
func (s *sender) expire(cfg *Config, now dimmnet.Time) error {
	wait, over := s.timeout.timeout(cfg), false
	for i := range s.queue[:s.fresh] {
		o := &s.queue[i]
		if o.known || o.again || now-o.at < wait {
			continue
		}
		if o.tries >= cfg.Tries {
			return fmt.Errorf("reliable: datagram %d of %d bytes was sent %d times in %v and not acknowledged",
				s.base+uint64(i), len(o.payload), o.tries, now-o.first)
		}
		o.again, over = true, true
	}
	if over {
		s.timeout.doubled++
	}
	return nil
}

// deadline is when the first timeout is over.
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

// check refuses an acknowledgement of what was never sent.
func (s *sender) check(h header) error {
	if end := s.base + uint64(s.fresh); h.last() >= end {
		return fmt.Errorf("reliable: acknowledgement of datagram %d: the last one sent was %d", h.last(), end-1)
	}
	return nil
}

// acknowledged takes an acknowledgement that was checked.
func (s *sender) acknowledged(h header, now dimmnet.Time) {
	for i := range s.queue[:s.fresh] {
		o := &s.queue[i]
		if o.known || !h.has(s.base+uint64(i)) {
			continue
		}
		o.known, o.again = true, false
		if o.tries == 1 { // else nobody knows which of them has arrived
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

// passes counts, for those that left before a datagram that has arrived, that it
// has passed them.
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
