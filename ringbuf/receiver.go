package ringbuf

import "github.com/fagus-dsm/fagus/dimmnet"

// Receiver is the receiving end of the ring from one peer.
type Receiver struct {
	port   dimmnet.Port
	layout *Layout
	peer   dimmnet.Rank

	next  place // the slot that is to arrive
	given place // the first that was emptied and not given back
	owed  int   // so many were
	due   int   // and so many of them are to be given back now
	lazy  bool
}

// place is a slot in a lap.
type place struct {
	slot int
	now  lap
}

func (c *place) advance(slots int) {
	if c.slot++; c.slot == slots {
		c.slot, c.now = 0, c.now.next()
	}
}

// NewReceiver returns the receiving end of the ring from peer.
func NewReceiver(p dimmnet.Port, l *Layout, peer dimmnet.Rank) *Receiver {
	return &Receiver{port: p, layout: l, peer: peer, next: place{now: 1}, given: place{now: 1}}
}

// SetLazy lets the receiver keep slots that it has emptied until they are half of the ring,
// so that the sender always finds one free, and most messages are taken without a Store. That is
// not the papers' protocol.
func (r *Receiver) SetLazy(on bool) { r.lazy = on }

// Poll says whether a message has arrived, and returns its header. While a slot
// is to be given back it says no without looking. An error
// means that the header is not a Fagus header of the peer; the ring cannot be
// used any more. After true, Take must come next.
func (r *Receiver) Poll() (h Header, arrived bool, err error) {
	own := r.port.Rank()
	// (1) poll the send-complete flag
	if r.due > 0 || flag(r.port, r.layout.sent(own, r.peer, r.next.slot)) != r.next.now {
		return Header{}, false, nil
	}
	// (2) take the header and data
	at := r.layout.header(own, r.peer, r.next.slot)
	h, err = Decode(r.port.Load(at), r.port.Load(at+8), r.peer, r.layout.SlotBytes)
	return h, err == nil, err
}

// Take copies the data of the message that Poll found to p, which has the
// header's length, and begins to give the slot back, unless the receiver is lazy.
func (r *Receiver) Take(p []byte) {
	if len(p) > 0 {
		r.port.Read(p, r.layout.data(r.port.Rank(), r.peer, r.next.slot))
	}
	r.next.advance(r.layout.Slots)
	r.owed++
	if !r.lazy || r.owed >= r.layout.Slots/2 {
		r.due = r.owed
		r.Step()
	}
}

// Owing says whether a slot is still to be given back now.
func (r *Receiver) Owing() bool { return r.due > 0 }

// Step gives slots back, if that could not be posted yet, and says whether
// any was.
func (r *Receiver) Step() (progress bool) {
	for r.due > 0 {
		// (3) AOTF the sender's receive-complete flag
		if !r.port.Store(r.peer, r.layout.received(r.peer, r.port.Rank(), r.given.slot), uint64(r.given.now), flagBytes) {
			break
		}
		r.given.advance(r.layout.Slots) // (4)
		r.due--
		r.owed--
		progress = true
	}
	return progress
}
