package locks

import (
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/syncvar"
)

// await returns when the rank has the variable for which it has joined the queue. joined is the
// state since then.
//
// A rank that waits alone polls the state: then the swap that releases the variable also tells the
// rank that it has it. When a second rank joins the queue, or before the first one sleeps, the
// state no longer says polls, and the releaser sets granted in the rank's entry. No wake-up is
// lost. The waiter sets sleeps and then polls granted; the releaser sets granted and then reads
// sleeps. Go's atomics are sequentially consistent, so one of the two sees the other's write.
func (e *Engine) await(id syncvar.ID, access syncvar.Access, joined state, alone bool) error {
	l, w := e.locks[id], &e.waiter
	if err := joined.check(e.nodes); err != nil {
		return e.failed("acquiring", id, err)
	}
	over := syncvar.Delayed
	if !alone {
		over = syncvar.Held
		e.observer.On(syncvar.Event{Kind: syncvar.Waiting})
	}
	w.lock, w.id, w.polls, w.asleep, w.has = l, id, joined&polls != 0, false, false
	e.counts.Waited++
	if err := dimmnet.DriveSoon(w, w, w.done, e.spins); err != nil {
		e.record(waiting{lock: l, id: id})
		return &Held{Variable: e.space.Name(id), by: l.load(), Err: err}
	}
	if w.asleep {
		e.record(waiting{})
	}
	e.observer.On(syncvar.Event{Kind: over, Denial: syncvar.Denial{ID: id, Access: access, Holder: joined.holder()}})
	return nil
}

// Held is the error of a rank that was waiting for a variable when the run failed.
type Held struct {
	Variable string
	by       state // the state of the lock at that time
	Err      error // why the run failed
}

// Error names the variable and its holder.
func (h *Held) Error() string {
	return fmt.Sprintf("locks: waiting for %q, which %v: %v", h.Variable, h.by, h.Err)
}

// Unwrap returns h.Err.
func (h *Held) Unwrap() error { return h.Err }

// Lost reports whether the run has failed because of the rank that held the variable.
func (h *Held) Lost() bool {
	f := (*dimmnet.Failed)(nil)
	return errors.As(h.Err, &f) && h.by.holders() > 0 && h.by&left == 0 && f.Rank == h.by.holder()
}

// waiter is a Stepper that waits for one variable, and also the port that Drive uses for that.
type waiter struct {
	dimmnet.Port
	e      *Engine
	lock   *lock
	id     syncvar.ID
	polls  bool // state may tell that the rank has the variable; otherwise its entry does
	asleep bool // the entry says that the rank may sleep
	has    bool // the rank has the variable
}

func (w *waiter) done() bool { return w.has }

// Step polls.
func (w *waiter) Step() (progress bool, err error) { return w.poll(), nil }

func (w *waiter) poll() bool {
	if w.polls {
		s := w.lock.load()
		if s.polledBy(w.e.rank) {
			return false
		}
		if s.passedTo(w.e.rank) {
			w.has = true
			return true
		}
		w.polls = false // until it has told the rank, a releaser leaves the state alone
	}
	w.has = w.e.own.granted.Load() != 0
	return w.has
}

// Idle announces that the rank may sleep before it calls Idle of the port. While the port is awake,
// the rank only polls.
func (w *waiter) Idle(since dimmnet.Mark) {
	if since == dimmnet.Awake || w.asleep {
		w.Port.Idle(since)
		return
	}
	for w.polls {
		s := w.lock.load()
		if !s.polledBy(w.e.rank) {
			return
		}
		delay.Here()
		w.polls = !w.lock.swap(s, s&^polls)
	}
	delay.Here()
	w.e.own.sleeps.Store(1)
	delay.Here()
	w.asleep = true
	w.e.record(waiting{lock: w.lock, id: w.id})
	// The rank has polled before, so it polls again before it sleeps.
}

// waiting says what a rank waits for; the zero value: for nothing, or in a Meet.
type waiting struct {
	lock    *lock
	id      syncvar.ID
	changes bool   // the rank waits for a change of the variable, not for the variable
	calls   uint64 // if not 0: the rank waits for a call of every rank after so many Updates
}

func (e *Engine) record(w waiting) {
	e.mu.Lock()
	e.at = w
	e.mu.Unlock()
}

// LastWait returns what the rank waits for. Unlike all other methods it may be called by any
// goroutine.
func (e *Engine) LastWait() (w syncvar.Wait) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch at := e.at; {
	case at.changes:
		w.Change = true
		return w.From(fmt.Sprintf("a change of %q", e.space.Name(at.id)), nil)
	case at.lock != nil:
		s := at.lock.load()
		if s&left == 0 && s.holders() > 0 {
			w.Owners = []syncvar.Holding{{ID: at.id, Owner: s.holder()}}
			w = w.From("a release by ranks", []dimmnet.Rank{s.holder()})
			w.More = s.holders() - 1
			return w
		}
		return w.From(fmt.Sprintf("a release by %d ranks", s.holders()), nil)
	case at.calls > 0:
		return w.From("the first call after an Update of ranks", e.silent(at.calls))
	}
	return e.phases.LastWait()
}
