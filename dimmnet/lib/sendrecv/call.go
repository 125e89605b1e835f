package sendrecv

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// call is the common part of a sender and a receiver: one message with a peer, in rounds.
type call struct {
	e      *Endpoint
	peer   dimmnet.Rank
	number uint8
	p      []byte // the message, or the receive buffer

	rounds int // number of rounds; 0 while unknown
	round  int // the present round, from 0
	pos    int // bytes of p in earlier rounds
	n      int // bytes of this round
	at     int // bytes of this round that have moved

	flight flight
	over   bool
}

func newCall(e *Endpoint, peer dimmnet.Rank, p []byte) call {
	return call{e: e, peer: peer, number: e.numbers[peer], p: p}
}

func (c *call) isOver() bool { return c.over }

// poll returns the peer's last word about this message; arrived is false if there is none.
func (c *call) poll() (w word, arrived bool, err error) {
	raw := c.e.port.Load(c.e.layout.flag(c.e.port.Rank(), c.peer, c.number))
	if raw == 0 {
		return word{}, false, nil
	}
	w, err = c.check(raw)
	if err != nil || w.number == c.number-2 { // of the previous message of this half
		return word{}, false, err
	}
	if w.number != c.number {
		return word{}, false, c.broken(w)
	}
	return w, true, nil
}

// pollAgain polls for a reply. Until it lands, the flag holds the last reply or the readiness.
func (c *call) pollAgain(ready kind) (arrived bool, err error) {
	w, arrived, err := c.poll()
	switch {
	case err != nil || !arrived:
		return false, err
	case w.kind == again && w.round == c.tag(c.round-1):
		return true, nil
	case c.round == 1 && w.kind == ready, c.round > 1 && w.kind == again && w.round == c.tag(c.round-2):
		return false, nil
	}
	return false, c.broken(w)
}

func (c *call) check(raw uint64) (word, error) {
	w, err := decode(raw)
	if err != nil {
		return word{}, fmt.Errorf("sendrecv: word from rank %d: %w", c.peer, err)
	}
	if w.group != c.e.group {
		return word{}, fmt.Errorf("sendrecv: word from rank %d: process group %d, want %d", c.peer, w.group, c.e.group)
	}
	return w, nil
}

// post adds the number and the group to w, and stores it into the peer's flag area.
func (c *call) post(w word) (posted bool) {
	return c.store(c.e.layout.flag(c.peer, c.e.port.Rank(), c.number), w)
}

func (c *call) postRounds() (posted bool) {
	at := c.e.layout.rounds(c.peer, c.e.port.Rank(), c.number)
	return c.store(at, word{kind: announced, value: uint32(c.rounds)})
}

func (c *call) store(off dimmnet.Offset, w word) (posted bool) {
	w.number, w.group = c.number, c.e.group
	return c.e.port.Store(c.peer, off, w.encode(), wordBytes)
}

func (c *call) divide(length, roundBytes int) {
	c.rounds = 1
	if length > roundBytes {
		c.rounds = (length + roundBytes - 1) / roundBytes
	}
}

// learnRounds computes the rounds from the first notice's tag and the announced number of rounds.
func (c *call) learnRounds(notice word) error {
	if notice.round == 0 {
		c.rounds = 1
		return nil
	}
	w, err := c.check(c.e.port.Load(c.e.layout.rounds(c.e.port.Rank(), c.peer, c.number)))
	if err != nil {
		return err
	}
	if w.kind != announced || w.number != c.number || w.value < 2 {
		return c.broken(w)
	}
	c.rounds = int(w.value)
	return nil
}

// tag distinguishes the words of a round from the words of the previous round.
func (c *call) tag(round int) uint8 {
	if c.rounds == 1 {
		return 0
	}
	return uint8(round%roundTags) + 1
}

func (c *call) next() (more bool) {
	c.e.stats.Rounds++
	c.pos += c.n
	c.round++
	c.n, c.at = 0, 0
	return c.round < c.rounds
}

// finish ends the call and increments the counter means of the primitive that moved the message.
func (c *call) finish(means *uint64) {
	*means++
	c.over = true
}

func (c *call) broken(w word) error {
	return fmt.Errorf("sendrecv: word from rank %d: unexpected %+v in round %d of message %d, after %d of %d bytes",
		c.peer, w, c.round, c.number, c.pos, len(c.p))
}

func (c *call) clash() error {
	return fmt.Errorf("sendrecv: ranks %d and %d: %w", c.e.port.Rank(), c.peer, ErrClash)
}

func (c *call) long(from, to dimmnet.Rank, length, capacity uint64) error {
	return fmt.Errorf("sendrecv: from rank %d to %d: %w: %d bytes, the buffer has %d", from, to, ErrTooLong, length, capacity)
}
