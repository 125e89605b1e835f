package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
)

// What a slot's places name the receiver fetches, portion by portion from the front. If it is
// much, and the sender has a processor to itself, that puts portions to the receiver's memory from
// the back: two processors copy in half of the time of one.
//
// Each says which portion it takes before it copies it, the receiver in its front word and the
// sender in its back word, and ends where the other has begun. It may see that too late; then
// both copy the same bytes to the same place. The receiver is not done before the sender has said
// that it is: nobody writes to the memory of a rank that computes. And the sender does not
// begin with another slot before the receiver has read that.

const (
	// portionBytes take about 50 us: for so long one of the two may wait for the other.
	portionBytes = 256 << 10
	// sharedBytes is the least of a slot's places that two ranks copy.
	sharedBytes = 4 * portionBytes
)

// haul is what the places of a slot name, as both ranks see it.
type haul struct {
	portions []consistency.Range
	number   uint32 // of the slots of the pair that two ranks copy, from 1; 0: one does
	front    int    // the receiver copies what is before it,
	back     int    // and the sender what is not
}

// add adds a place.
func (h *haul) add(r consistency.Range) {
	for lo := r.Lo; lo < r.Hi; lo += portionBytes {
		h.portions = append(h.portions, consistency.Range{Lo: lo, Hi: min(r.Hi, lo+portionBytes)})
	}
}

// haulWord says in a front or back word how far a rank is with a haul.
func haulWord(number uint32, portion int, over bool) uint64 {
	w := uint64(number)<<32 | uint64(portion)<<1
	if over {
		w |= 1
	}
	return w
}

// readHaulWord reads a word of the haul, if it is one.
func (h *haul) readHaulWord(w uint64) (portion int, over, there bool) {
	return int(uint32(w) >> 1), w&1 == 1, h.number != 0 && uint32(w>>32) == h.number
}

// share begins to help the receiver of the places that were put last, if that is worth it. It returns the
// number of the haul for the slot.
func (o *outbox) share(cuts []consistency.Cut) (number uint32) {
	bytes := 0
	for _, c := range cuts {
		bytes += c.Len()
	}
	if bytes < sharedBytes {
		return 0
	}
	h := &o.haul
	h.portions = h.portions[:0]
	for _, c := range cuts {
		h.add(c.Range)
	}
	o.hauls++
	h.number, h.back = o.hauls, len(h.portions)
	return h.number
}

// help puts the last portion that nobody has taken to the memory of the receiver, or says
// that there is none.
func (o *outbox) help(e *Engine, to dimmnet.Rank) (progress bool) {
	h, own := &o.haul, e.port.Rank()
	front, _, there := h.readHaulWord(e.port.Load(e.calls.front(own, to)))
	if h.back == 0 || there && front >= h.back {
		if progress = e.port.Store(to, e.calls.back(to, own), haulWord(h.number, h.back, true), dimmnet.WordBytes); progress {
			h.number = 0
		}
		return progress
	}
	if !e.port.Store(to, e.calls.back(to, own), haulWord(h.number, h.back-1, false), dimmnet.WordBytes) {
		return false
	}
	h.back--
	r := h.portions[h.back]
	copy(e.space.View(to, r), e.space.Bytes(r))
	return true
}

// helped says whether the receiver is done with the last haul.
func (o *outbox) helped(e *Engine, to dimmnet.Rank) bool {
	last := haul{number: o.hauls}
	_, over, there := last.readHaulWord(e.port.Load(e.calls.front(e.port.Rank(), to)))
	return there && over
}

// fetch fetches the next portion that nobody has taken, or notes that all are here.
func (in *inbox) fetch(e *Engine, from dimmnet.Rank) (progress bool, err error) {
	h, own := &in.haul, e.port.Rank()
	back, over := len(h.portions), h.number == 0
	if h.number != 0 {
		if portion, ends, there := h.readHaulWord(e.port.Load(e.calls.back(own, from))); there {
			back, over = portion, ends
		}
		if back > len(h.portions) {
			return false, fmt.Errorf("phase: rank %d copies portion %d of %d", from, back, len(h.portions))
		}
	}
	if h.front < back {
		if h.number != 0 && !e.port.Store(from, e.calls.front(from, own), haulWord(h.number, h.front+1, false), dimmnet.WordBytes) {
			return false, nil
		}
		r := h.portions[h.front]
		copy(e.space.Bytes(r), e.space.View(from, r))
		h.front++
		return true, nil
	}
	if !over || h.number != 0 && !e.port.Store(from, e.calls.front(from, own), haulWord(h.number, h.front, true), dimmnet.WordBytes) {
		return false, nil
	}
	for _, s := range in.taking {
		s.coming--
	}
	in.taking = in.taking[:0]
	return true, nil
}
