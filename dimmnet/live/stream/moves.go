package stream

import (
	"errors"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// move is an incomplete Push or Pull of this rank.
type move struct {
	done dimmnet.Offset // offset in the own LLCM where the completion is stored
	n    int            // bytes
	to   dimmnet.Offset // Pull: where the next piece goes
	rest int            // Pull: bytes that have not arrived
}

// endPush removes the oldest Push, which the peer has acknowledged, and returns it.
func (o *outbox) endPush() (move, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.pushes) == 0 {
		return move{}, errors.New("acknowledgement without a Push in progress")
	}
	m := o.pushes[0]
	o.pushes = o.pushes[1:]
	o.spaceFreed()
	return m, nil
}

func (o *outbox) checkAnswer(h *header) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.pulls) == 0 {
		return errors.New("answer without a Pull in progress")
	}
	m := &o.pulls[0]
	if h.off != m.to || h.n > m.rest || (h.n == m.rest) != h.last() {
		return errors.New("answer to a Pull with bytes that were not requested")
	}
	return nil
}

// advance records that a piece of the oldest Pull is in place. ended means that it was the last.
func (o *outbox) advance(h *header) (m move, ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := &o.pulls[0]
	p.to, p.rest = p.to+dimmnet.Offset(h.n), p.rest-h.n
	m = *p
	if m.rest == 0 {
		o.pulls = o.pulls[1:]
		o.spaceFreed()
	}
	return m, m.rest == 0
}
