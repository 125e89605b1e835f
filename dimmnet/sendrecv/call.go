package sendrecv

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// call is what a sender and a receiver have in common: a message with a peer, in
// rounds.
type call struct {
	e      *Endpoint
	peer   dimmnet.Rank
	number uint8
	p      []byte // the message, or the room for it

	rounds int // 0 while unknown
	round  int // the present one, from 0
	pos    int // bytes of p in earlier rounds
	n      int // bytes of this round
	at     int // how many of them have moved

	flight flight
	over   bool
}

func newCall(e *Endpoint, peer dimmnet.Rank, p []byte) call {
	return call{e: e, peer: peer, number: e.numbers[peer], p: p}
}

func (c *call) isOver() bool { return c.over }

// look polls what the peer has said last about this message. It says no while
// that is nothing.
func (c *call) look() (w word, arrived bool, err error) {
	raw := c.e.port.Load(c.e.layout.flag(c.e.port.Rank(), c.peer, c.number))
	if raw == 0 {
		return word{}, false, nil
	}
	w, err = c.check(raw)
	if err != nil || w.number == c.number-2 { // the last message in this half
		return word{}, false, err
	}
	if w.number != c.number {
		return word{}, false, c.broken(w)
	}
	return w, true, nil
}

// check decodes a word of the peer.
func (c *call) check(raw uint64) (word, error) {
	w, err := decode(raw)
	if err != nil {
		return word{}, fmt.Errorf("sendrecv: from rank %d: %w", c.peer, err)
	}
	if w.group != c.e.group {
		return word{}, fmt.Errorf("sendrecv: from rank %d: group id %d, own %d", c.peer, w.group, c.e.group)
	}
	return w, nil
}

// post stores w, whose number and group it adds, into the peer's flag area.
func (c *call) post(w word) (posted bool) {
	return c.store(c.e.layout.flag(c.peer, c.e.port.Rank(), c.number), w)
}

// postRounds announces the rounds.
func (c *call) postRounds() (posted bool) {
	at := c.e.layout.rounds(c.peer, c.e.port.Rank(), c.number)
	return c.store(at, word{kind: announced, value: uint32(c.rounds)})
}

func (c *call) store(off dimmnet.Offset, w word) (posted bool) {
	w.number, w.group = c.number, c.e.group
	return c.e.port.Store(c.peer, off, w.encode(), wordBytes)
}

// divide sets the rounds of a message of length bytes.
func (c *call) divide(length, roundBytes int) {
	c.rounds = 1
	if length > roundBytes {
		c.rounds = (length + roundBytes - 1) / roundBytes
	}
}

// learnRounds finds out how many rounds the message takes, from the tag of the
// first notice and the announcement, which landed before that.
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

// tag is how the words of a round are told from those of the round before.
func (c *call) tag(round int) uint8 {
	if c.rounds == 1 {
		return 0
	}
	return uint8(round%roundTags) + 1
}

// next goes on to the round that follows, or says that there is none.
func (c *call) next() (more bool) {
	c.e.stats.Rounds++
	c.pos += c.n
	c.round++
	c.n, c.at = 0, 0
	return c.round < c.rounds
}

// finish ends the call and counts its message as moved by means.
func (c *call) finish(means *uint64) {
	*means++
	c.over = true
}

// broken is the error for a word that no peer of ours stores here.
func (c *call) broken(w word) error {
	return fmt.Errorf("sendrecv: from rank %d in round %d of message %d, %d of %d bytes done: unexpected %+v",
		c.peer, c.round, c.number, c.pos, len(c.p), w)
}

// clash is the error when the peer is in the same call as this rank.
func (c *call) clash() error {
	return fmt.Errorf("sendrecv: ranks %d and %d: %w", c.e.port.Rank(), c.peer, ErrClash)
}

// long is the error for a message that does not fit.
func (c *call) long(from, to dimmnet.Rank, length, room uint64) error {
	return fmt.Errorf("sendrecv: from rank %d to %d: %w: %d bytes, room for %d", from, to, ErrTooLong, length, room)
}
