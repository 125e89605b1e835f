package locks

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// state is the word of a lock: who holds the variable, and who waits for it. The functions in this
// file say how it changes. They are pure; ranks change the word only by compare-and-swap.
//
//	bits 0-16   the number of ranks that hold the variable
//	bit  17     exclusive: the holder has exclusive access
//	bit  18     left: the rank in bits 19-34 no longer holds the variable, but others do
//	bits 19-34  the exclusive holder, or one of the shared holders
//	bits 35-51  1 plus the rank that was the last to join the queue; 0: none since lock.first
//	bit  52     more: other ranks wait, too, in the list that begins at lock.first
//	bit  53     polls: only the rank in bits 35-51 waits, and it polls this word
//	bit  54     wants: that rank wants exclusive access
//	bit  55     passed: this word has told the holder that it has the variable
//
// 0 means that the variable is free.
type state uint64

const (
	holderBits = 17
	rankBits   = 16

	holderShift = 19
	lastShift   = 35

	holdersMask state = 1<<holderBits - 1
	exclusive   state = 1 << 17
	left        state = 1 << 18
	holderMask  state = (1<<rankBits - 1) << holderShift
	lastMask    state = (1<<holderBits - 1) << lastShift
	more        state = 1 << 52
	polls       state = 1 << 53
	wants       state = 1 << 54
	passed      state = 1 << 55
	unused      state = 0xff << 56
)

func (s state) holders() int               { return int(s & holdersMask) }
func (s state) holder() dimmnet.Rank       { return dimmnet.Rank(s & holderMask >> holderShift) }
func (s state) last() uint32               { return uint32(s & lastMask >> lastShift) }
func (s state) waited() bool               { return s&(lastMask|more) != 0 }
func (s state) withLast(last uint32) state { return s&^lastMask | state(last)<<lastShift }

// held returns the state of a variable that n ranks have just been granted, for which no rank
// waits. first is one of them.
func held(first dimmnet.Rank, n int, access syncvar.Access) state {
	s := state(n) | state(first)<<holderShift
	if access == syncvar.Exclusive {
		s |= exclusive
	}
	return s
}

// acquire returns the state after a rank asks for the variable. If the variable is not granted at
// once, the rank has joined the queue: its entry names s.last() as the next one.
func (s state) acquire(rank dimmnet.Rank, access syncvar.Access) (next state, granted bool) {
	switch {
	case s == 0:
		return held(rank, 1, access), true
	case access == syncvar.Shared && s&exclusive == 0 && !s.waited():
		s++
		if s&left != 0 {
			s = s&^(left|holderMask|passed) | state(rank)<<holderShift
		}
		return s, true
	}
	next = s.withLast(1+uint32(rank)) &^ (polls | wants)
	if !s.waited() {
		next |= polls
		if access == syncvar.Exclusive {
			next |= wants
		}
	}
	return next, false
}

// release returns the state after a holder releases the variable. If the rank is the last holder
// and must hand the variable over (Engine.handOver), nothing changes, and done is false.
func (s state) release(rank dimmnet.Rank) (next state, done bool) {
	switch {
	case s.holders() > 1:
		if s--; s.holder() == rank {
			s = s&^passed | left
		}
		return s, true
	case !s.waited():
		return 0, true
	case s&polls != 0:
		access := syncvar.Shared
		if s&wants != 0 {
			access = syncvar.Exclusive
		}
		return held(dimmnet.Rank(s.last()-1), 1, access) | passed, true
	}
	return s, false
}

// polledBy reports whether rank waits alone and polls the word.
func (s state) polledBy(rank dimmnet.Rank) bool {
	return s&polls != 0 && s.last() == 1+uint32(rank)
}

// passedTo reports whether the word tells rank, which waits, that it has the variable now.
func (s state) passedTo(rank dimmnet.Rank) bool { return s&passed != 0 && s.holder() == rank }

// taken returns the state after the only holder has moved the queue to the list of lock.first.
func (s state) taken() state { return s&^(lastMask|polls|wants) | more }

// handOver returns the state after the only holder hands the variable over to n ranks. rest says
// that other ranks still wait in the list of lock.first.
func (s state) handOver(first dimmnet.Rank, n int, access syncvar.Access, rest bool) state {
	next := held(first, n, access).withLast(s.last())
	if rest {
		next |= more
	}
	return next
}

// check returns an error unless s is possible in a run of so many nodes: other processes write it.
func (s state) check(nodes int) error {
	n := s.holders()
	valid := n >= 1 && n <= nodes && int(s.holder()) < nodes && int(s.last()) <= nodes && s&unused == 0
	if s != 0 && !valid || s&exclusive != 0 && n != 1 || s&polls != 0 && s.last() == 0 {
		return fmt.Errorf("the word of its lock is %#x, which no rank of %d writes", uint64(s), nodes)
	}
	return nil
}

// String says who holds the variable, for errors.
func (s state) String() string {
	switch n := s.holders(); {
	case n == 0:
		return "no rank holds"
	case s&left != 0:
		return fmt.Sprintf("%d ranks hold", n)
	case n > 1:
		return fmt.Sprintf("rank %d and %d more hold", s.holder(), n-1)
	}
	return fmt.Sprintf("rank %d holds", s.holder())
}
