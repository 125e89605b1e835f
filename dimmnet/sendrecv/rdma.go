package sendrecv

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// flight is how far a PUSH or PULL is.
type flight uint8

const (
	grounded flight = iota // none is under way
	flying                 // posted
	landed                 // its ACK was seen, but is not yet cleared
)

// carry moves the round by RDMA, in as many pieces as the port demands, one
// after the other, until c.at is c.n. post posts a piece between the areas of the
// pair.
//
// The done word must change visibly, so it is cleared when it was seen, by a
// Store to the own rank, and the next piece waits until that has landed: RDMA
// keeps no order with Stores.
func (c *call) carry(post func(own, peers dimmnet.Offset, n int) bool) (progress bool, err error) {
	e, own := c.e, c.e.port.Rank()
	piece := min(c.n-c.at, e.limits.RDMA)
	switch c.flight {
	case grounded:
		if ack := e.port.Load(e.layout.done()); ack != 0 {
			return false, e.checkAck(ack, e.acked)
		}
		at := dimmnet.Offset(c.at)
		if !post(e.layout.area(own, c.peer)+at, e.layout.area(c.peer, own)+at, piece) {
			return false, nil
		}
		c.flight = flying
	case flying:
		ack := e.port.Load(e.layout.done())
		if ack == 0 {
			return false, nil
		}
		if err := e.checkAck(ack, uint64(piece)); err != nil {
			return false, err
		}
		e.acked = ack
		c.flight = landed
	case landed:
		if !e.port.Store(own, e.layout.done(), 0, wordBytes) {
			return false, nil
		}
		c.at += piece
		c.flight = grounded
	}
	return true, nil
}

// checkAck says what is wrong with the done word.
func (e *Endpoint) checkAck(ack, want uint64) error {
	if ack != want {
		return fmt.Errorf("sendrecv: the done word holds %d after a PUSH or PULL of %d bytes", ack, want)
	}
	return nil
}
