package sendrecv

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

type flight uint8

const (
	noRDMA flight = iota // no PUSH or PULL is posted
	posted               // its ACK has not arrived
	acked                // its ACK has arrived; the done word is not cleared yet
)

// carry moves the round by RDMA until c.at equals c.n, one piece after the other, since the port
// limits a piece's size. post posts a piece between the areas of the pair.
//
// The done word must change for each piece. carry clears it by a Store to its own rank and waits
// until the Store has landed before the next piece, because RDMA and Stores are not ordered.
func (c *call) carry(post func(own, peers dimmnet.Offset, n int) bool) (progress bool, err error) {
	e, own := c.e, c.e.port.Rank()
	piece := min(c.n-c.at, e.limits.RDMA)
	switch c.flight {
	case noRDMA:
		if ack := e.port.Load(e.layout.done()); ack != 0 {
			return false, e.checkAck(ack, e.acked)
		}
		at := dimmnet.Offset(c.at)
		if !post(e.layout.area(own, c.peer)+at, e.layout.area(c.peer, own)+at, piece) {
			return false, nil
		}
		c.flight = posted
	case posted:
		ack := e.port.Load(e.layout.done())
		if ack == 0 {
			return false, nil
		}
		if err := e.checkAck(ack, uint64(piece)); err != nil {
			return false, err
		}
		e.acked = ack
		c.flight = acked
	case acked:
		if !e.port.Store(own, e.layout.done(), 0, wordBytes) {
			return false, nil
		}
		c.at += piece
		c.flight = noRDMA
	}
	return true, nil
}

func (e *Endpoint) checkAck(ack, want uint64) error {
	if ack != want {
		return fmt.Errorf("sendrecv: done word %d after a PUSH or PULL: want %d, the bytes moved", ack, want)
	}
	return nil
}
