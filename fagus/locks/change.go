package locks

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/syncvar"
)

// A rank that waits for a change of a variable sets its bit in lock.watchers while it holds the
// variable. The next rank that releases the variable as changed clears all bits before, and then
// wakes their ranks. No other rank holds the variable when bits are cleared, so none is lost.

// Await says that the rank, which holds a variable, is going to release it unchanged, and then to
// wait for a change of it by AcquireChanged.
func (e *Engine) Await(id syncvar.ID) {
	e.own.changed.Store(0)
	e.own.sleeps.Store(0)
	bit := int(e.rank) % watchBits
	e.locks[id].watchers[bit/64].Or(1 << (bit % 64))
	e.watcher.id = id
}

// AcquireChanged is Acquire after another rank has changed the variable of Await.
func (e *Engine) AcquireChanged(shared, exclusive []syncvar.ID) error {
	if err := e.enter(); err != nil {
		return err
	}
	if w := &e.watcher; e.own.changed.Load() == 0 {
		e.observer.On(syncvar.Event{Kind: syncvar.Waiting})
		w.asleep = false
		err := dimmnet.DriveSoon(w, w, w.done, e.spins)
		if w.asleep {
			e.record(waiting{})
		}
		if err != nil {
			e.record(waiting{lock: e.locks[w.id], id: w.id, changes: true})
			return fmt.Errorf("locks: waiting for a change of %q: %w", e.space.Name(w.id), err)
		}
		// By the word that it has set, the rank that changed the variable is known.
		e.observer.On(syncvar.Event{Kind: syncvar.Met, Latest: syncvar.Latest{Rank: dimmnet.Rank(e.own.changed.Load() - 1), Known: true}})
	}
	return e.acquireAll(shared, exclusive)
}

// watched reports whether ranks wait for a change of a variable that this rank holds.
func (e *Engine) watched(id syncvar.ID) bool {
	l := e.locks[id]
	for i := range min(len(l.watchers), (e.nodes+63)/64) {
		if l.watchers[i].Load() != 0 {
			return true
		}
	}
	return false
}

// releaseChanged releases a variable that ranks watch. written has the variables that this rank has
// changed.
func (e *Engine) releaseChanged(id syncvar.ID, written []syncvar.ID) error {
	if _, changed := slices.BinarySearch(written, id); !changed {
		return e.release(id)
	}
	l, ranks := e.locks[id], e.watcher.others[:0]
	for i := range l.watchers {
		for set := l.watchers[i].Swap(0); set != 0; set &= set - 1 {
			for r := 64*i + bits.TrailingZeros64(set); r < e.nodes; r += watchBits {
				ranks = append(ranks, dimmnet.Rank(r))
			}
		}
	}
	e.watcher.others = ranks
	if err := e.release(id); err != nil {
		return err
	}
	for _, r := range ranks {
		if err := e.notify(r, &e.entries[r].changed, 1+uint32(e.rank)); err != nil {
			return err
		}
	}
	return nil
}

// watcher is a Stepper that waits for a change, and also the port that Drive uses for that. No
// wake-up is lost, as in await.
type watcher struct {
	dimmnet.Port
	e      *Engine
	id     syncvar.ID     // of Await
	asleep bool           // the entry says that the rank may sleep
	others []dimmnet.Rank // reused
}

func (w *watcher) done() bool { return w.e.own.changed.Load() != 0 }

// Step polls.
func (w *watcher) Step() (progress bool, err error) { return w.done(), nil }

// Idle announces that the rank may sleep before it calls Idle of the port.
func (w *watcher) Idle(since dimmnet.Mark) {
	if since == dimmnet.Awake || w.asleep {
		w.Port.Idle(since)
		return
	}
	delay.Here()
	w.e.own.sleeps.Store(1)
	delay.Here()
	w.asleep = true
	w.e.record(waiting{lock: w.e.locks[w.id], id: w.id, changes: true})
}
