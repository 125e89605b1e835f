package threaded

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// gate says whether other ranks may take a variable from this rank, the owner. While they may, the
// Site may be wrong: it does not know that this rank is no longer the owner.
type gate uint8

const (
	gateClosed gate = iota // the record is closed, or matches no hint
	gateOpen               // the record is open, or soon will be
	gateBusy               // a thread is changing it, and others wait
)

// gates are the gates of all variables.
type gates struct {
	state   map[syncvar.ID]gate
	waiting [threads]bool     // the thread waits for a gate that another thread changes
	polled  [threads]wordWait // the words that shut and take wait for
}

// gateState is the state of a gate at the beginning of a change.
type gateState struct {
	word    uint64          // the word open if the gate were open
	version syncvar.Version // of the Site
}

// shut closes the gate of a variable, so that no rank can take it from this rank any more, and
// updates the owner in the Site. If brief, it leaves the gate as it is: then the caller must know
// that no rank is in Acquire. Thread t calls it, with its port.
//
// A claim goes away without help from this rank's threads, because a rank that takes a variable
// waits only for Pulls. NICs answer these, or, on stream networks, any thread of this rank that
// idles, and every wait here idles. So the receive-processing thread may wait for claims.
func (e *Engine) shut(t thread, p dimmnet.Port, id syncvar.ID, brief bool) error {
	g, begun, err := e.beginShut(t, id)
	if err != nil || !begun {
		return err
	}
	at, _ := e.hints.word(id)
	if !brief {
		e.awaits(t, "words in the LLCM of ranks", e.rank) // forever if a peer writes them, too
		if err := e.closeRecord(p, at+openAt, g.word); err != nil {
			return err
		}
	}
	if err := e.awaitClaims(t, p, id); err != nil {
		return err
	}
	return e.endShut(t, id, g.version, syncvar.HintOf(p.Load(at+takenAt)), brief)
}

// closeRecord returns when the record in which open was stored is closed.
func (e *Engine) closeRecord(p dimmnet.Port, off dimmnet.Offset, open uint64) error {
	closed := open | closedBit
	// Until open has landed, the record may be closed by the same word as in the last tenure.
	err := dimmnet.Until(p, func() bool { return p.Load(off) == open && p.Store(e.rank, off, closed, dimmnet.WordBytes) })
	if err != nil {
		return err
	}
	return dimmnet.Until(p, func() bool { return p.Load(off) == closed })
}

// beginShut waits until no other thread changes the gate. begun says that the gate was open. Then
// the calling thread changes it.
func (e *Engine) beginShut(t thread, id syncvar.ID) (g gateState, begun bool, err error) {
	if !e.direct.on {
		return g, false, nil
	}
	err = e.await(t, func() bool {
		s := e.site(id)
		e.gates.waiting[t] = e.gates.state[id] == gateBusy
		switch e.gates.state[id] {
		case gateBusy:
			return false
		case gateOpen:
			g, begun = gateState{openWord(s.Hint().Version, s.Written()), s.Hint().Version}, true
			e.gates.state[id] = gateBusy
		}
		return true
	})
	return g, begun, err
}

// endShut records the new state of a gate. taken is the hint of the rank that last took the
// variable from this rank.
func (e *Engine) endShut(t thread, id syncvar.ID, version syncvar.Version, taken syncvar.Hint, brief bool) error {
	e.mu.Lock()
	defer e.unlock()
	e.gates.state[id], e.gates.polled[t] = gateClosed, wordWait{}
	e.wakeOther(t)
	switch {
	case taken.Version <= version:
		if brief {
			e.gates.state[id] = gateOpen
		}
	case int(taken.Owner) >= e.nodes || taken.Owner == e.rank:
		return fmt.Errorf("threaded: at rank %d: version %d of %q is taken by rank %d", e.rank, taken.Version, e.space.Name(id), taken.Owner)
	default:
		e.site(id).Lose(taken)
	}
	return nil
}

// wakeOther wakes the other of the two threads that use gates, if it waits for one.
func (e *Engine) wakeOther(t thread) {
	other := user
	if t == user {
		other = process
	}
	if e.gates.waiting[other] {
		e.wake(other)
	}
}

// awaitClaims waits until all present claims on the variable are gone.
func (e *Engine) awaitClaims(t thread, p dimmnet.Port, id syncvar.ID) error {
	var ranks []dimmnet.Rank
	var words []uint64
	for i := range e.nodes {
		r := dimmnet.Rank(i)
		if r == e.rank {
			continue
		}
		if word := p.Load(e.direct.claim(r)); claims(word, id) {
			ranks, words = append(ranks, r), append(words, word)
		}
	}
	if ranks == nil {
		return nil
	}
	e.awaits(t, "the end of claims by ranks", ranks...)
	return dimmnet.Until(p, func() bool {
		for i, r := range ranks {
			if p.Load(e.direct.claim(r)) == words[i] {
				return false
			}
		}
		return true
	})
}

// awaits records for LastWait what a thread waits for; nothing if what is "".
func (e *Engine) awaits(t thread, what string, ranks ...dimmnet.Rank) {
	e.mu.Lock()
	e.gates.polled[t] = wordWait{what, ranks}
	e.mu.Unlock()
}

// prepare shuts the gate of the variable that a slot requests. The gate stays shut until the slot
// has been handled.
func (e *Engine) prepare(p dimmnet.Port, in incoming) error {
	if !e.direct.on || in.head.Kind != ringbuf.Control {
		return nil
	}
	m, err := decode(in.body, e.nodes)
	if err != nil || m.op != request {
		return nil // handleSlot returns the error
	}
	e.mu.Lock()
	e.serving = uint64(m.id) + 1
	e.mu.Unlock()
	return e.shut(process, p, m.id, m.flag && !m.waits)
}

// beginOpen returns the word to store in the record of a variable, if this rank is the owner and
// the variable is free. The lock is held.
func (e *Engine) beginOpen(id syncvar.ID) (word uint64, ok bool) {
	s := e.site(id)
	if _, entry := e.hints.word(id); !e.direct.on || !entry || !s.Free() || e.serving == uint64(id)+1 {
		return 0, false
	}
	e.gates.state[id] = gateBusy
	return openWord(s.Hint().Version, s.Written()), true
}

// open opens the gate after beginOpen.
func (e *Engine) open(id syncvar.ID, word uint64) error {
	at, _ := e.hints.word(id)
	if err := store(e.port, e.rank, at+openAt, word); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.unlock()
	e.gates.state[id] = gateOpen
	e.wakeOther(user)
	return nil
}
