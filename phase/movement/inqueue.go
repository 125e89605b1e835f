package movement

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
)

type inState uint8

const (
	inIdle  inState = iota // nothing is due; the ring is not polled
	inSlots                // slots with the peer's list or transfers are due
)

// inQueue receives what a peer sends in a phase.
type inQueue struct {
	mover *Mover
	from  dimmnet.Rank
	state inState
	due   int // the number of lists or transfers that have not fully arrived
	ring  *ringbuf.Receiver
	data  dataReceiver

	lists []byte // the bytes of the peer's list or bundle that have arrived
}

func (q *inQueue) pending() bool { return q.state != inIdle || q.ring.Owing() || q.data.pending() }

// expectList expects the peer's list or bundle, through the ring.
func (q *inQueue) expectList() {
	q.lists = q.lists[:0]
	q.expect()
}

func (q *inQueue) expect() {
	q.due++
	q.state = inSlots
}

func (q *inQueue) arrived() {
	if q.due--; q.due == 0 {
		q.state = inIdle
	}
}

func (q *inQueue) step() (progress bool, err error) {
	progress = q.ring.Step()
	moved, blocked, err := q.data.step()
	if progress = progress || moved; blocked || err != nil {
		return progress, err
	}
	if q.state == inIdle {
		return progress, nil
	}
	h, arrived, err := q.ring.Poll()
	if err != nil || !arrived {
		return progress, err
	}
	if h.Phase != uint32(q.mover.Phase&ringbuf.PhaseMask) {
		return false, fmt.Errorf("phase: rank %d sent a slot of phase %d in phase %d", q.from, h.Phase, q.mover.Phase)
	}
	switch {
	case h.Kind == ringbuf.List && !q.mover.moving:
		err = q.takeList(h)
	case h.Kind == q.mover.dataKind && q.mover.moving:
		if err = q.data.accept(q.ring, h); err == nil && h.Last {
			q.arrived()
		}
	default:
		err = fmt.Errorf("phase: rank %d sent a slot of kind %d, which is not due", q.from, h.Kind)
	}
	return true, err
}

func (q *inQueue) takeList(h ringbuf.Header) error {
	have := len(q.lists)
	if most := q.mover.agreement.MaxListBytes(); have+h.Len > most {
		return fmt.Errorf("phase: rank %d sent more than %d bytes of lists for one phase, which is the limit", q.from, most)
	}
	if h.Addr != uint64(have) || h.Len == 0 {
		return fmt.Errorf("phase: rank %d sent %d bytes of its list at position %d, after %d", q.from, h.Len, h.Addr, have)
	}
	q.lists = slices.Grow(q.lists, h.Len)[:have+h.Len]
	q.ring.Take(q.lists[have:])
	if !h.Last {
		return nil
	}
	q.arrived()
	return q.mover.agreement.TakeList(q.from, q.lists)
}
