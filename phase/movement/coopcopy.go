package movement

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
)

// In a cooperative copy two ranks copy the data of one slot, each on its own processor: the
// receiver from the front, the sender from the back. That takes half the time of one copy.
//
// Each rank announces a portion before it copies the portion: the receiver stores its front word
// at the sender, and the sender its back word at the receiver. A rank stops where the other has
// begun. If it sees the other's word late, both copy the same bytes to the same addresses.
//
// The receiver waits until the sender is done, so that no rank writes to the memory of a rank that
// computes. The sender begins no other slot before the receiver is done.

const (
	// A portion takes about 50 us to copy. One rank waits for the other at most that long.
	portionBytes = 256 << 10
	coopBytes    = 4 * portionBytes // the smallest copy that two ranks share
)

// CoopWords says where the words of cooperative copies are. Peer writes a front word and a back
// word in owner's LLCM.
type CoopWords interface {
	Front(owner, peer dimmnet.Rank) dimmnet.Offset
	Back(owner, peer dimmnet.Rank) dimmnet.Offset
}

type coopCopy struct {
	portions []consistency.Range
	number   uint32 // counts the pair's cooperative copies, never 0; 0: only the receiver copies
	front    int    // the receiver has copied the portions before this one
	back     int    // the sender has copied the portions from this one on
}

func (c *coopCopy) add(r consistency.Range) {
	for lo := r.Lo; lo < r.Hi; lo += portionBytes {
		c.portions = append(c.portions, consistency.Range{Lo: lo, Hi: min(r.Hi, lo+portionBytes)})
	}
}

// progressWord encodes a front or back word: the number of the copy, the index of the portion that
// the rank has reached, and whether the rank is done. The index has 31 bits. A slot has addresses
// below 2^48, and so at most 2^30 portions.
func progressWord(number uint32, portion int, done bool) uint64 {
	w := uint64(number)<<32 | uint64(portion)<<1
	if done {
		w |= 1
	}
	return w
}

// decodeProgress decodes a front or back word. ok is false if w belongs to another copy.
func decodeProgress(w uint64, number uint32) (portion int, done, ok bool) {
	return int(uint32(w) >> 1), w&1 == 1, number != 0 && uint32(w>>32) == number
}

// begin begins a cooperative copy of cuts if they are large enough.
func (s *fetchSender) begin(cuts []consistency.Cut) bool {
	bytes := 0
	for _, c := range cuts {
		bytes += c.Len()
	}
	if bytes < coopBytes {
		return false
	}
	if s.last++; s.last == 0 { // after 2^32 copies, which take some days
		s.last = 1
	}
	s.coop = coopCopy{portions: s.coop.portions[:0], number: s.last}
	for _, c := range cuts {
		s.coop.add(c.Range)
	}
	s.coop.back = len(s.coop.portions)
	return true
}

// step copies, to the receiver's memory, the last portion that neither rank has announced. If both
// have announced all portions, step tells the receiver that this rank is done.
func (s *fetchSender) step() (progress bool) {
	c, own := &s.coop, s.mover.Rank
	front, _, ok := decodeProgress(s.mover.Port.Load(s.mover.coop.Front(own, s.to)), c.number)
	if c.back == 0 || ok && front >= c.back {
		if s.announce(c.back, true) {
			s.state, progress = helpDone, true
		}
		return progress
	}
	if !s.announce(c.back-1, false) {
		return false
	}
	c.back--
	r := c.portions[c.back]
	copy(s.mover.Space.View(s.to, r), s.mover.Space.Bytes(r))
	return true
}

func (s *fetchSender) announce(portion int, done bool) (posted bool) {
	return s.mover.Port.Store(s.to, s.mover.coop.Back(s.to, s.mover.Rank), progressWord(s.coop.number, portion, done), dimmnet.WordBytes)
}

func (s *fetchSender) receiverDone() bool {
	_, done, ok := decodeProgress(s.mover.Port.Load(s.mover.coop.Front(s.mover.Rank, s.to)), s.last)
	return ok && done
}

// copyFront copies the first portion that neither rank has announced. done: both ranks are done.
func (r *fetchReceiver) copyFront() (progress, done bool, err error) {
	c := &r.coop
	back, senderDone := len(c.portions), false
	if portion, end, ok := decodeProgress(r.mover.Port.Load(r.mover.coop.Back(r.mover.Rank, r.from)), c.number); ok {
		back, senderDone = portion, end
	}
	if back > len(c.portions) {
		return false, false, fmt.Errorf("phase: cooperative copy: rank %d announced portion %d of %d", r.from, back, len(c.portions))
	}
	if c.front < back {
		if !r.announce(c.front+1, false) {
			return false, false, nil
		}
		r.copyNext()
		return true, false, nil
	}
	if !senderDone || !r.announce(c.front, true) {
		return false, false, nil
	}
	return true, true, nil
}

func (r *fetchReceiver) announce(portion int, done bool) (posted bool) {
	return r.mover.Port.Store(r.from, r.mover.coop.Front(r.from, r.mover.Rank), progressWord(r.coop.number, portion, done), dimmnet.WordBytes)
}
