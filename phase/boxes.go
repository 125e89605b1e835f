package phase

import (
	"fmt"
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// outbox is what one peer is still to get in this phase.
type outbox struct {
	ring  *ringbuf.Sender
	list  []byte     // lists to the peer
	pos   int        // how much of them was put
	queue []outgoing // transfers to the peer
	word  bool       // the call word is not posted yet
	gives bool       // nor is what stands beside it
	room  []byte     // for places
	gifts [][]byte   // what the last places name, and is still to be given
	gave  bool       // the peer was given something that may have to rest
	haul  haul       // that this rank helps with
	hauls uint32     // so many it has helped with
}

// outgoing is a transfer to a peer and how far it has come.
type outgoing struct {
	stream *stream
	next   int // the cut to send next
}

func (o *outbox) pending(e *Engine, to dimmnet.Rank) bool {
	return o.word || o.pos < len(o.list) || len(o.queue) > 0 || o.ring.Busy() || o.haul.number != 0 ||
		e.giver != nil && o.giving(e.giver, to)
}

// step moves the message under way, or begins the next one if there is one and
// its slot is free.
func (o *outbox) step(e *Engine, to dimmnet.Rank) (progress bool) {
	if o.word {
		progress = o.tellWord(e, to, len(o.list) == 0)
		if o.word || len(o.list) == 0 {
			return progress
		}
	}
	if o.ring.Busy() {
		return o.ring.Step() || progress
	}
	if len(o.gifts) > 0 {
		progress = o.give(e.giver, to)
		if len(o.gifts) > 0 {
			return progress
		}
	}
	if o.haul.number != 0 {
		return o.help(e, to) || progress
	}
	next := o.next()
	if o.pos == len(o.list) && next < 0 || o.hauls > 0 && !o.helped(e, to) || !o.ring.Ready() {
		return progress
	}
	o.put(e, next)
	o.ring.Step()
	return true // even if nothing could be posted: the slot is taken
}

// next finds the first transfer of which something can be sent, or -1.
func (o *outbox) next() int {
	for i := range o.queue {
		if o.queue[i].next < o.queue[i].stream.here() {
			return i
		}
	}
	return -1 // what they pass on has not arrived
}

// put puts the next part of the list, or if that is out the next cut of transfer
// i, into the ring.
func (o *outbox) put(e *Engine, i int) {
	h := ringbuf.Header{Sender: e.port.Rank(), Phase: uint32(e.phase & ringbuf.PhaseMask)}
	if o.pos < len(o.list) {
		h.Kind, h.Addr = ringbuf.List, uint64(o.pos)
		h.Len = min(len(o.list)-o.pos, e.layout.SlotBytes)
		part := o.list[o.pos:][:h.Len]
		o.pos += h.Len
		h.Last = o.pos == len(o.list)
		if h.Last {
			e.counts.Lists++
		}
		o.ring.Put(h, part)
		return
	}
	out := &o.queue[i]
	var data []byte
	if e.places {
		cuts := o.places(e, out)
		data = o.room
		h.Kind, h.Len = ringbuf.Places, len(data)
		if e.helps {
			h.Addr = uint64(o.share(cuts))
		}
	} else {
		c := out.stream.Cuts[out.next]
		out.next++
		h.Kind, h.Addr, h.Len, h.Age = ringbuf.Data, uint64(c.Lo), c.Len(), c.Age
		data = e.space.Bytes(c.Range)
	}
	h.Last = out.stream.Complete && out.next == len(out.stream.Cuts)
	o.ring.Put(h, data)
	e.counts.Slots++
	if h.Last {
		e.counts.Transfers++
		o.remove(i)
	}
}

// places puts into room where the next cuts of a transfer are, as many as fit a slot.
func (o *outbox) places(e *Engine, out *outgoing) []consistency.Cut {
	cuts := out.stream.Cuts[out.next:out.stream.here()]
	cuts = cuts[:min(len(cuts), e.layout.SlotBytes/pieceBytes)]
	out.next += len(cuts)
	if e.giver != nil {
		o.gifts = o.gifts[:0]
		for _, c := range cuts {
			if c.Len() > 0 { // else nothing is newer
				o.gifts = append(o.gifts, e.space.Bytes(c.Range))
			}
		}
	}
	o.room = appendPieces(o.room[:0], cuts)
	return cuts
}

// remove takes transfer i off the queue. It is nearly always the first.
func (o *outbox) remove(i int) {
	if i == 0 {
		o.queue = o.queue[1:]
	} else {
		o.queue = slices.Delete(o.queue, i, i+1)
	}
}

// inbox is what is still due from one peer in this phase.
type inbox struct {
	ring *ringbuf.Receiver
	list []byte // the peer's list, or in a tree several, as far as it has come
	due  int    // lists or transfers that have not arrived whole
	word bool   // the call word is still to come
	room syncvar.WordRoom

	taking []*stream // by cut that was said to come and has not come whole
	haul   haul      // of these, where the data are in a peer's memory
}

func (in *inbox) pending() bool { return in.due > 0 || in.ring.Owing() || len(in.taking) > 0 }

// step takes one message, if one is due and has arrived.
func (in *inbox) step(e *Engine, from dimmnet.Rank) (progress bool, err error) {
	progress = in.ring.Step()
	if len(in.taking) > 0 {
		if e.giver == nil {
			fetched, err := in.fetch(e, from)
			return progress || fetched, err
		}
		progress = in.taken(e.giver, from) || progress
	}
	if in.due == 0 {
		return progress, nil
	}
	if in.word {
		took, err := in.takeWord(e, from)
		return progress || took, err
	}
	h, arrived, err := in.ring.Poll()
	if err != nil || !arrived {
		return progress, err
	}
	if h.Phase != uint32(e.phase&ringbuf.PhaseMask) {
		return false, fmt.Errorf("phase: rank %d sent a slot of phase %d in phase %d", from, h.Phase, e.phase)
	}
	switch {
	case h.Kind == ringbuf.List && e.state == gather:
		err = in.takeList(e, from, h)
	case h.Kind == ringbuf.Data && e.state == transfer && !e.places:
		err = in.takeData(e, from, h)
	case h.Kind == ringbuf.Places && e.state == transfer && e.places:
		err = in.takePlaces(e, from, h)
	default:
		err = fmt.Errorf("phase: rank %d sent a slot of kind %d, which is not due", from, h.Kind)
	}
	return true, err
}

func (in *inbox) takeList(e *Engine, from dimmnet.Rank, h ringbuf.Header) error {
	have := len(in.list)
	if h.Addr != uint64(have) || have+h.Len > e.maxListBytes() || h.Len == 0 {
		return fmt.Errorf("phase: rank %d sent %d bytes of its list for position %d after %d", from, h.Len, h.Addr, have)
	}
	in.list = slices.Grow(in.list, h.Len)[:have+h.Len]
	in.ring.Take(in.list[have:])
	if !h.Last {
		return nil
	}
	in.due = 0
	if e.tree.Arity > 0 {
		return e.takeBundle(from, in.list)
	}
	return e.setList(from, in.list)
}

// setList decodes the list of a rank.
func (e *Engine) setList(of dimmnet.Rank, list []byte) error {
	l, err := syncvar.DecodeList(list)
	if err != nil {
		return fmt.Errorf("phase: list of rank %d: %w", of, err)
	}
	if l.Phase != e.phase {
		return fmt.Errorf("phase: rank %d sent its list of phase %d in phase %d", of, l.Phase, e.phase)
	}
	e.lists[of] = l
	return nil
}

// takeData reads a piece from the slot straight to its place.
func (in *inbox) takeData(e *Engine, from dimmnet.Rank, h ringbuf.Header) error {
	lo := consistency.Addr(h.Addr)
	_, mem, err := e.follow(from, consistency.Cut{Range: consistency.Range{Lo: lo, Hi: lo + consistency.Addr(h.Len)}, Age: h.Age}, h.Last)
	if err != nil {
		return err
	}
	in.ring.Take(mem)
	if h.Last {
		in.due--
	}
	return nil
}

// takePlaces says where pieces go that are given next, or begins to fetch them from the memory
// of the rank that has sent where they are. There they rest until that rank may write them again, which
// takes another phase, with this rank.
func (in *inbox) takePlaces(e *Engine, from dimmnet.Rank, h ringbuf.Header) error {
	if h.Len == 0 || h.Len%pieceBytes != 0 {
		return fmt.Errorf("phase: rank %d sent %d bytes of places", from, h.Len)
	}
	if h.Addr > 0 && (h.Addr > math.MaxUint32 || e.giver != nil || e.calls.peers == 0) {
		return fmt.Errorf("phase: rank %d helps with haul %d, where ranks cannot", from, h.Addr)
	}
	in.list = slices.Grow(in.list[:0], h.Len)[:h.Len]
	in.ring.Take(in.list)
	in.haul = haul{portions: in.haul.portions[:0], number: uint32(h.Addr)}
	for rest := in.list; len(rest) > 0; rest = rest[pieceBytes:] {
		lo, length, age := decodePiece(rest)
		if length > consistency.MaxAddr {
			return fmt.Errorf("phase: rank %d sent a place of %d bytes", from, length)
		}
		r := consistency.Range{Lo: lo, Hi: lo + consistency.Addr(length)}
		s, mem, err := e.follow(from, consistency.Cut{Range: r, Age: age}, h.Last && len(rest) == pieceBytes)
		if err != nil {
			return err
		}
		if length == 0 { // nothing was newer
			continue
		}
		s.coming++
		in.taking = append(in.taking, s)
		if e.giver != nil {
			e.giver.Take(from, mem)
		} else {
			in.haul.add(r)
		}
		e.counts.Fetched += length
	}
	if h.Last {
		in.due--
	}
	return nil
}

// follow adds a cut that a rank has sent to the stream that it belongs to, and returns
// that and its place.
func (e *Engine) follow(from dimmnet.Rank, c consistency.Cut, last bool) (s *stream, mem []byte, err error) {
	id, mem, err := e.space.Guard(c.Range)
	if err != nil {
		return nil, nil, fmt.Errorf("phase: data of rank %d: %w", from, err)
	}
	s = e.incoming[id]
	if s == nil || s.from != from || s.Complete {
		return nil, nil, fmt.Errorf("phase: rank %d sent data of %q, which are not due from it", from, e.space.Name(id))
	}
	if err := e.space.Follow(&s.Stream, c, last); err != nil {
		return nil, nil, fmt.Errorf("phase: rank %d sent %w", from, err)
	}
	return s, mem, nil
}
