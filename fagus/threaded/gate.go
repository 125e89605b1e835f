package threaded

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// gate says whether other ranks may take a variable from this rank, the owner. While they may, the
// Site does not know whether this rank is still the owner, so nobody may use the Site as an owner's.
type gate uint8

const (
	gateClosed gate = iota // the record is closed, or matches no hint
	gateOpen               // the record is open, or soon will be
	gateBusy               // a thread is changing it, and others wait
)

// gateState is the state of a gate at the beginning of a change.
type gateState struct {
	word    uint64          // the word open if the gate were open
	version syncvar.Version // of the Site
}

// shut closes the gate of a variable, so that no rank can take it from this rank any more, and
// makes the Site know its owner. If brief, it leaves the gate as it is: then the caller must know
// that no rank is in Acquire. Thread t calls it, with its port.
//
// A claim goes away without help from this rank's threads, because a rank that takes a variable
// waits for NICs only. So the receive-processing thread may wait for claims.
func (e *Engine) shut(t thread, p dimmnet.Port, id syncvar.ID, brief bool) error {
	g, begun, err := e.beginShut(t, id)
	if err != nil || !begun {
		return err
	}
	at, _ := e.hints.word(id)
	if !brief {
		closed := g.word | closedBit
		if err := store(p, e.rank, at+openAt, closed); err != nil {
			return err
		}
		if err := until(p, func() bool { return p.Load(at+openAt) == closed }); err != nil {
			return err
		}
	}
	if err := e.awaitClaims(t, p, id); err != nil {
		return err
	}
	return e.endShut(t, id, g.version, syncvar.HintOf(p.Load(at+takenAt)), brief)
}

// beginShut waits until no other thread changes the gate. begun says that the gate was open. Then
// the calling thread changes it.
func (e *Engine) beginShut(t thread, id syncvar.ID) (g gateState, begun bool, err error) {
	if !e.direct.on {
		return g, false, nil
	}
	err = e.await(t, func() bool {
		s := e.site(id)
		switch e.gates[id] {
		case gateBusy:
			return false
		case gateOpen:
			g, begun = gateState{openWord(s.Hint().Version, s.Written()), s.Hint().Version}, true
			e.gates[id] = gateBusy
		}
		return true
	})
	return g, begun, err
}

// endShut records the new state of a gate. taken is the hint of the rank that was the last to take
// the variable from this rank.
func (e *Engine) endShut(t thread, id syncvar.ID, version syncvar.Version, taken syncvar.Hint, brief bool) error {
	e.mu.Lock()
	defer e.unlock()
	e.gates[id] = gateClosed
	e.wake(user + process - t) // the other thread that uses gates
	switch {
	case taken.Version <= version:
		if brief {
			e.gates[id] = gateOpen
		}
	case int(taken.Owner) >= e.nodes || taken.Owner == e.rank:
		return fmt.Errorf("threaded: at rank %d: version %d of %q is taken by rank %d", e.rank, taken.Version, e.space.Name(id), taken.Owner)
	default:
		e.site(id).Lose(taken)
	}
	return nil
}

// awaitClaims waits until no rank claims the variable.
func (e *Engine) awaitClaims(t thread, p dimmnet.Port, id syncvar.ID) error {
	var ranks []dimmnet.Rank
	for r := range e.nodes {
		if p.Load(e.direct.claim(dimmnet.Rank(r))) == claimWord(id) {
			ranks = append(ranks, dimmnet.Rank(r))
		}
	}
	if ranks == nil {
		return nil
	}
	e.claim(t, ranks...)
	err := until(p, func() bool {
		for _, r := range ranks {
			if p.Load(e.direct.claim(r)) == claimWord(id) {
				return false
			}
		}
		return true
	})
	if err == nil {
		e.claim(t)
	}
	return err
}

// claim records the ranks of claims for LastWait.
func (e *Engine) claim(t thread, ranks ...dimmnet.Rank) {
	e.mu.Lock()
	e.claims[t] = ranks
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
	e.serving = claimWord(m.id)
	e.mu.Unlock()
	return e.shut(process, p, m.id, m.flag)
}

// beginOpen returns the word to store in the record of a variable, if this rank is the owner and
// the variable is free. The lock is held.
func (e *Engine) beginOpen(id syncvar.ID) (word uint64, ok bool) {
	s := e.site(id)
	if _, entry := e.hints.word(id); !e.direct.on || !entry || !s.Free() || e.serving == claimWord(id) {
		return 0, false
	}
	e.gates[id] = gateBusy
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
	e.gates[id] = gateOpen
	e.wake(process)
	return nil
}
