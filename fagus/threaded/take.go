package threaded

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// maxHops is how many owners a rank tries one after the other before it makes a request.
const maxHops = 4

// acquireDirect acquires a variable without a message. It returns false if that needs a request.
// Afterwards this rank owns the variable only if its Site says so.
func (e *Engine) acquireDirect(id syncvar.ID, access syncvar.Access) (acquired bool, err error) {
	if err := e.shut(user, e.port, id, false); err != nil || access != syncvar.Exclusive {
		return false, err
	}
	hint := e.hints.load(e.port, id)
	for range maxHops {
		owner, ok := e.target(id, hint)
		if !ok {
			return false, nil
		}
		e.awaits(user, "words in the LLCM of ranks", owner)
		acquired, hint, err = e.take(owner, id)
		e.awaits(user, "", owner)
		if acquired || err != nil || hint == (syncvar.Hint{}) {
			return acquired, err
		}
	}
	return false, nil
}

// target returns the last known owner of a variable if this rank may take the variable from it.
func (e *Engine) target(id syncvar.ID, hint syncvar.Hint) (owner dimmnet.Rank, ok bool) {
	_, entry := e.hints.word(id)
	e.mu.Lock()
	defer e.unlock()
	s := e.site(id)
	e.learn(s, hint)
	return s.Hint().Owner, entry && s.Takes()
}

// learn passes a hint that a peer wrote to a site. A faulty peer may have written an invalid rank.
func (e *Engine) learn(s *syncvar.Site, h syncvar.Hint) {
	if int(h.Owner) < e.nodes {
		s.Learn(h)
	}
}

// take tries to take a variable from its owner. If another rank was faster, it returns that rank's
// hint.
//
// Each rank writes a word and then reads the words of the others (Dekker). So of a taker and the
// closing owner, and of two takers, at least one sees the other:
//
//   - The claim is visible at the owner before this rank reads the record. So the owner either
//     finds the claim, and waits until it is gone, or closed the record before this rank reads.
//   - A rank that sees another claim withdraws its own. A Pull may read the claims in any order,
//     so with rivals only a Pull counts that begins when the claim is visible.
//   - The claims are read before the record. A rank that took the variable stored taken before it
//     withdrew its claim. So if its claim is gone, taken is there.
func (e *Engine) take(owner dimmnet.Rank, id syncvar.ID) (took bool, newer syncvar.Hint, err error) {
	e.direct.tries++
	claim := claimWord(e.direct.tries, id)
	if err := store(e.port, owner, e.direct.claim(e.rank), claim); err != nil {
		return false, newer, err
	}
	rival, err := e.rivals(owner, id, claim)
	if err == nil && !rival {
		took, newer, err = e.takeUnrivalled(owner, id)
	}
	if err == nil { // after taken: stores to one rank land in order
		err = store(e.port, owner, e.direct.claim(e.rank), 0)
	}
	return took, newer, err
}

// rivals waits until this rank's claim is visible at the owner. It reports whether another rank
// claims the same variable.
func (e *Engine) rivals(owner dimmnet.Rank, id syncvar.ID, claim uint64) (found bool, err error) {
	for visible := false; !visible; {
		if err := e.pull(owner, e.direct.claims, e.nodes*dimmnet.WordBytes); err != nil {
			return false, err
		}
		visible = e.landed(int(e.rank)) == claim
	}
	if e.nodes == 2 {
		return false, nil
	}
	if err := e.pull(owner, e.direct.claims, e.nodes*dimmnet.WordBytes); err != nil {
		return false, err
	}
	for r := range e.nodes {
		found = found || r != int(e.rank) && claims(e.landed(r), id)
	}
	return found, nil
}

// takeUnrivalled takes a variable if its record at the owner permits it. No other rank can take
// the variable now, and its owner does not use it.
func (e *Engine) takeUnrivalled(owner dimmnet.Rank, id syncvar.ID) (took bool, newer syncvar.Hint, err error) {
	at, _ := e.hints.word(id)
	if err := e.pull(owner, at+openAt, recordBytes); err != nil {
		return false, newer, err
	}
	open, taken := openOf(e.landed(0)), syncvar.HintOf(e.landed(1))
	h, took, newer := e.decide(id, open, taken)
	if took {
		err = store(e.port, owner, at+takenAt, h.Word())
	}
	return took, newer, err
}

// decide makes this rank the owner if the record of the present owner permits it, and returns the
// hint to store there. If another rank has taken the variable, decide returns that rank's hint.
func (e *Engine) decide(id syncvar.ID, open opened, taken syncvar.Hint) (h syncvar.Hint, took bool, newer syncvar.Hint) {
	e.mu.Lock()
	defer e.unlock()
	s := e.site(id)
	switch {
	case open.version < s.Hint().Version: // the owner has not left the variable free since
		return h, false, newer
	case taken.Version > open.version:
		return h, false, taken
	case open.closed || s.Have() < open.written && !e.space.IsOneCopy():
		return h, false, newer
	}
	if e.space.IsOneCopy() { // then no data move, and a change may be unknown
		open.written = open.version
	}
	s.Take(open.version+1, open.written)
	e.had[id] = struct{}{}
	e.counts.Takes++
	return s.Hint(), true, newer
}

// pull copies n bytes from a rank's LLCM to the landing area.
func (e *Engine) pull(from dimmnet.Rank, off dimmnet.Offset, n int) error {
	p, done := e.port, e.direct.done+dimmnet.Offset(e.direct.pulls%doneWords*dimmnet.WordBytes)
	e.direct.pulls++
	// The word was cleared after the last Pull but one.
	err := dimmnet.Until(p, func() bool { return p.Load(done) == 0 && p.Pull(from, off, e.direct.landing, n, done) })
	if err == nil {
		err = dimmnet.Until(p, func() bool { return p.Load(done) != 0 })
	}
	if err == nil {
		err = store(p, e.rank, done, 0)
	}
	return err
}

// landed returns a word that the last Pull has copied.
func (e *Engine) landed(i int) uint64 {
	return e.port.Load(e.direct.landing + dimmnet.Offset(i*dimmnet.WordBytes))
}
