package ringbuf

import "github.com/fagus-dsm/fagus/dimmnet"

// Receiver is the receiving end of the ring from one peer.
type Receiver struct {
	port   dimmnet.Port
	layout *Layout
	peer   dimmnet.Rank

	next  cursor // the slot of the next message
	given cursor // the slot to give back next
	owed  int    // the number of slots that are emptied but not given back
	due   int    // how many of the owed slots are to be given back now
	lazy  bool
}

// cursor is a position in the ring: a slot, and the lap in which it is used.
type cursor struct {
	slot int
	now  lap
}

func (c *cursor) advance(slots int) {
	if c.slot++; c.slot == slots {
		c.slot, c.now = 0, c.now.next()
	}
}

// NewReceiver returns the receiving end of the ring from peer.
func NewReceiver(p dimmnet.Port, l *Layout, peer dimmnet.Rank) *Receiver {
	return &Receiver{port: p, layout: l, peer: peer, next: cursor{now: 1}, given: cursor{now: 1}}
}

// SetLazy lets the receiver keep emptied slots until half of the ring is empty. The sender still
// finds a free slot, and the receiver posts no Store for most messages. In the papers' protocol a
// receiver gives every slot back at once.
func (r *Receiver) SetLazy(on bool) { r.lazy = on }

// Poll reports whether a message has arrived, and returns its header. While Owing returns true,
// Poll does not poll the flag. If Poll returns true, the next call must be Take. An error means
// that no correct peer sends this header; the ring can no longer be used.
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

// Take copies the data of the message that Poll found to p, which must have the header's length.
// Then it begins to give the slot back, unless the receiver is lazy.
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

// Owing reports whether slots are still to be given back now.
func (r *Receiver) Owing() bool { return r.due > 0 }

// Step gives back the slots that are due, and reports whether it posted any flag.
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
