package ringbuf

import "github.com/fagus-dsm/fagus/dimmnet"

// Receiver is the receiving end of the ring from one peer.
type Receiver struct {
	port   dimmnet.Port
	layout *Layout
	peer   dimmnet.Rank

	slot  int
	now   lap
	owing bool // the slot was emptied, but its receive-complete flag is not posted
}

// NewReceiver returns the receiving end of the ring from peer.
func NewReceiver(p dimmnet.Port, l *Layout, peer dimmnet.Rank) *Receiver {
	return &Receiver{port: p, layout: l, peer: peer, now: 1}
}

// Poll says whether a message has arrived, and returns its header. While a slot
// is owing it says no without looking. An error
// means that the header is not a Fagus header of the peer; the ring cannot be
// used any more. After true, Take must come next.
func (r *Receiver) Poll() (h Header, arrived bool, err error) {
	own := r.port.Rank()
	// (1) poll the send-complete flag
	if r.owing || flag(r.port, r.layout.sent(own, r.peer, r.slot)) != r.now {
		return Header{}, false, nil
	}
	// (2) take the header and data
	at := r.layout.header(own, r.peer, r.slot)
	h, err = Decode(r.port.Load(at), r.port.Load(at+8), r.peer, r.layout.SlotBytes)
	return h, err == nil, err
}

// Take copies the data of the message that Poll found to p, which has the
// header's length, and begins to give the slot back.
func (r *Receiver) Take(p []byte) {
	if len(p) > 0 {
		r.port.Read(p, r.layout.data(r.port.Rank(), r.peer, r.slot))
	}
	r.owing = true
	r.Step()
}

// Owing says whether a slot is still to be given back.
func (r *Receiver) Owing() bool { return r.owing }

// Step gives the slot back, if that could not be posted yet, and says whether
// it was.
func (r *Receiver) Step() (progress bool) {
	if !r.owing {
		return false
	}
	// (3) AOTF the sender's receive-complete flag
	if !r.port.Store(r.peer, r.layout.received(r.peer, r.port.Rank(), r.slot), uint64(r.now), flagBytes) {
		return false
	}
	r.owing = false
	if r.slot++; r.slot == r.layout.Slots { // (4) advance
		r.slot, r.now = 0, r.now.next()
	}
	return true
}
