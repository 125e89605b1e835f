package movement

import "github.com/fagus-dsm/fagus/dimmnet"

// In a phase that repeats, a PUSH needs no grant: the grant of one cycle ago stands. A receiver
// gives a standing grant if the messages of all its multicasts fit its bulk memory at once,
// however many bytes are new. Then their offsets do not depend on what is new.
//
// A receiver keeps the promise by beginning its round before it sends its mark (Push.Foresee): it
// fills and flips its bulk memory while no peer may push. Peers push when all ranks have sent
// their marks. If some rank deviates, nobody has pushed, and the round is taken back.

// Standing is what a rank knows of its grants in a phase and in the phases that repeat it.
type Standing struct {
	fits   bool          // all messages of this rank fit its bulk memory at once
	given  bool          // the grants of this rank stand
	grants map[int]grant // by the number of the hop out of this rank: the standing grants
}

// keep keeps a grant that this rank got.
func (s *Standing) keep(hop int, g grant) {
	if !g.standing {
		return
	}
	if s.grants == nil {
		s.grants = make(map[int]grant)
	}
	s.grants[hop] = g
}

// Give lets this rank's grants stand if they can.
func (s *Standing) Give() { s.given = s.fits }

// of returns the standing grant for a hop out of this rank.
func (s *Standing) of(hop int) (g grant, ok bool) {
	g, ok = s.grants[hop]
	return g, ok
}

// Foresee prepares this rank's roles in multicasts of a phase that may repeat, and begins their
// round if all of them are in it. Nothing moves before Repeat.
func (b *Push) Foresee(multicasts []Multicast, s *Standing) {
	b.prepare(multicasts, s)
	b.foreseen = true
	if b.standing.fits && len(b.roles) > 0 {
		b.begin()
	}
}

// Retract takes back what Foresee did: the phase does not repeat. The rank's messages are filled
// again, in whichever bank the host now reaches.
func (b *Push) Retract() {
	clear(b.roles)
	b.roles, b.round, b.copies, b.foreseen = b.roles[:0], b.round[:0], b.copies[:0], false
	b.mover.forget()
}

// Repeat starts the multicasts that Foresee prepared: the phase repeats.
func (b *Push) Repeat() { b.foreseen, b.mover.moving = false, true }

// fits reports whether the messages of all roles fit the bulk memory at once, however much is new.
func (b *Push) fits() bool {
	n := 0
	for _, r := range b.roles {
		n += r.most
	}
	return n <= b.memory.n
}

// place returns the offset of a message of n bytes in the free part of the bulk memory. Messages
// from peers lie at its beginning, so that the sizes of this rank's own messages, which depend on
// what is new, do not change their offsets.
func (s *span) place(n int, own bool) (at dimmnet.Offset) {
	s.n -= n
	if own {
		return s.lo + dimmnet.Offset(s.n)
	}
	at = s.lo
	s.lo += dimmnet.Offset(n)
	return at
}
