package phase

import "github.com/fagus-dsm/fagus/dimmnet"

// In a phase that repeats, a PUSH needs no grant: the grant of one cycle before stands. A receiver
// gives a standing grant if the messages of all its multicasts fit its bulk memory at once, however
// many bytes are new. Then their offsets do not depend on what is new.
//
// A receiver keeps the promise by beginning its round before it sends its mark (Engine.foresee): it
// fills and flips its bulk memory while no peer may push. Peers push when all ranks have sent their
// marks. If some rank deviates, nobody has pushed, and the round is taken back.

// standing is what a rank knows of its grants in a phase and in those that repeat it.
type standing struct {
	fits   bool          // all messages of this rank fit its bulk memory at once
	given  bool          // the grants of this rank stand
	grants map[int]grant // by the number of the hop out of this rank: those that stand
}

// keep keeps a grant that this rank has got.
func (s *standing) keep(hop int, g grant) {
	if !g.standing {
		return
	}
	if s.grants == nil {
		s.grants = make(map[int]grant)
	}
	s.grants[hop] = g
}

// of returns the standing grant for a hop out of this rank.
func (s *standing) of(hop int) (g grant, ok bool) {
	g, ok = s.grants[hop]
	return g, ok
}

// foresee begins this rank's part of a phase that repeats if all ranks do what is expected of them.
// This rank does.
func (e *Engine) foresee() {
	if !e.cycles() {
		return
	}
	if now := e.course.cycle(); e.following.counted != now {
		e.chargeCycle()
		e.following.counted = now
	}
	e.part = e.partOf(e.course.n - uint64(e.course.lag)).after(e.replica.tenuresOf(&e.course))
	e.foreseen, e.before = true, e.port.Counters()
	e.method.(*push).foresee(e.part)
}

// retract takes back what foresee has done: the phase does not repeat.
func (e *Engine) retract() {
	if !e.foreseen {
		return
	}
	e.foreseen = false
	e.method.(*push).retract()
	e.arriving, e.streaming = e.arriving[:0], 0
}

// foresee prepares this rank's roles, and begins their round if all of them are in it.
func (b *push) foresee(p *part) {
	b.prepare(p.multicasts, p.standing)
	b.held = true
	if b.standing.fits && len(b.roles) > 0 {
		b.begin()
	}
}

// retract takes back what foresee has done. What the rank has filled is filled again, in whichever
// bank the host now reaches.
func (b *push) retract() {
	clear(b.roles)
	b.roles, b.round, b.copies, b.held = b.roles[:0], b.round[:0], b.copies[:0], false
}

// fits reports whether the messages of all roles fit the bulk memory at once, whatever is new.
func (b *push) fits() bool {
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
