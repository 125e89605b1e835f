package movement

import (
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
)

// outState says what the queue to a peer does next.
//
//	                     no slot        last slot posted
//	                      +--+            +---------> outIdle
//	                      v  |            |
//	outIdle ----------> outNext -----> outSlot ----> outData
//	                      ^               |             |
//	                      +---------------+-------------+
//
// With zero copy, outReading comes before outIdle while the network still reads program memory.
type outState uint8

const (
	outIdle    outState = iota // nothing to send to the peer so far in this phase
	outNext                    // put lists or data into the next free slot
	outSlot                    // the ring posts a slot
	outData                    // the method moves the data of the last slot
	outReading                 // everything is posted; the network may still read program memory
)

// outQueue sends to a peer in a phase: first lists, then transfers in the order of the plan.
type outQueue struct {
	mover *Mover
	to    dimmnet.Rank
	state outState
	ring  *ringbuf.Sender
	data  dataSender

	lists     []byte // the encoded list or bundle to send
	pos       int    // how many bytes of lists have been put into slots
	transfers []outTransfer
	first     int // all transfers before this index are sent
}

type outTransfer struct {
	stream *stream
	next   int // the index of the cut to send next
}

// pending reports whether lists or data of this phase are unsent. It ends outReading if it can.
func (q *outQueue) pending() bool {
	if q.state == outReading {
		q.settle()
	}
	return q.state != outIdle
}

func (q *outQueue) sendLists(b []byte) {
	q.lists, q.pos = b, 0
	q.resume()
}

func (q *outQueue) send(s *stream) {
	q.transfers = append(q.transfers, outTransfer{stream: s})
	q.resume()
}

func (q *outQueue) resume() {
	if q.state == outIdle {
		q.settle()
	}
}

func (q *outQueue) settle() {
	switch {
	case q.pos < len(q.lists) || q.first < len(q.transfers):
		q.state = outNext
	case q.data.reading():
		q.state = outReading
	default:
		q.state = outIdle
	}
}

// step posts more of the present slot or data, or begins a slot that the peer has emptied.
func (q *outQueue) step() (progress bool) {
	switch q.state {
	case outIdle, outReading:
		return false
	case outSlot:
		progress = q.ring.Step()
		q.posted()
		return progress
	case outData:
		progress = q.data.step()
		if !q.data.pending() {
			q.settle()
		}
	}
	if q.state != outNext {
		return progress
	}
	i := q.nextTransfer()
	if q.pos == len(q.lists) && i < 0 || !q.data.ready() || !q.ring.Ready() {
		return progress
	}
	q.put(i)
	q.state = outSlot
	q.ring.Step()
	q.posted()
	return true // taking the slot is progress, even if the port refused every post
}

func (q *outQueue) posted() {
	switch {
	case q.ring.Busy():
	case q.data.pending():
		q.state = outData
	default:
		q.settle()
	}
}

// nextTransfer returns the index of the first transfer with a cut to send. It returns -1 if there
// is none, because no data have arrived that the queued transfers pass on.
func (q *outQueue) nextTransfer() int {
	for i := q.first; i < len(q.transfers); i++ {
		if q.transfers[i].next < q.transfers[i].stream.sendable() {
			return i
		}
	}
	return -1
}

func (q *outQueue) put(i int) {
	if q.pos < len(q.lists) {
		part := q.lists[q.pos:][:min(len(q.lists)-q.pos, q.mover.Layout.SlotBytes)]
		h := ringbuf.Header{Kind: ringbuf.List, Addr: uint64(q.pos), Len: len(part)}
		q.pos += len(part)
		h.Last = q.pos == len(q.lists)
		if h.Last {
			q.mover.Counts.Lists++
		}
		q.putSlot(h, part)
		return
	}
	t := &q.transfers[i]
	h, data := q.data.slot(t)
	h.Last = t.stream.Complete && t.next == len(t.stream.Cuts)
	q.putSlot(h, data)
	q.mover.Counts.Slots++
	if h.Last {
		q.mover.Counts.Transfers++
		q.remove(i)
	}
}

func (q *outQueue) putSlot(h ringbuf.Header, data []byte) {
	h.Sender, h.Phase = q.mover.Rank, uint32(q.mover.Phase&ringbuf.PhaseMask)
	q.ring.Put(h, data)
}

func (q *outQueue) remove(i int) {
	if i > q.first {
		q.transfers = slices.Delete(q.transfers, i, i+1)
	} else if q.first++; q.first == len(q.transfers) {
		q.transfers, q.first = q.transfers[:0], 0
	}
}
