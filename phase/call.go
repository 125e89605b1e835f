package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/agreement"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Call takes the rank through communication phases until the call of l is complete. An Acquire is
// complete when all variables of l are granted and their data have arrived, any other call when
// all ranks are in it. The caller sets Call, Fenced, Shared, Exclusive, Clean, Attached, Awaits and
// Word of l, and must not touch l until Call returns.
func (e *Engine) Call(l *syncvar.List) error {
	l.Since = e.mover.Phase
	if e.quick == nil {
		e.observer.Entered()
	}
	if err := e.begin(l); err != nil {
		return err
	}
	if e.quick != nil {
		e.observer.Entered()
	}
	return e.complete(l)
}

// complete takes the rank through the rest of the phase that began with l, and through more phases
// until the call of l is complete.
func (e *Engine) complete(l *syncvar.List) error {
	for {
		if err := e.drive(); err != nil {
			return err
		}
		if e.phases {
			e.observer.On(syncvar.Event{Kind: syncvar.Agreed, Latest: e.outcome.Latest})
		}
		if e.Finished(l.Call) {
			return nil
		}
		if l.Call == syncvar.Acquire {
			e.denied(l)
		}
		e.again(l)
		if len(l.Awaits) > 0 {
			if err := e.change.await(e, l); err != nil {
				return e.fail(err)
			}
		}
		if err := e.begin(l); err != nil {
			return err
		}
	}
}

// denied tells the observer that the phase has not granted the variables of l.
func (e *Engine) denied(l *syncvar.List) {
	event := syncvar.Event{Kind: syncvar.Denied, Latest: e.outcome.Latest}
	if len(l.Awaits) == 0 {
		event.Denial, event.Known = syncvar.Conflict(e.outcome.Lists, e.outcome.Granted, e.mover.Rank)
	}
	e.observer.On(event)
}

// drive takes the rank through the rest of the phase.
func (e *Engine) drive() error {
	if e.quick != nil && e.state == gather {
		decided, moves, err := e.quick.Poll()
		if err != nil {
			return e.fail(err)
		}
		if decided {
			e.decided(moves)
		}
	}
	if e.state == between {
		return nil
	}
	err := dimmnet.Drive(e.waitPort, e, e.Done)
	if err == nil {
		return nil
	}
	e.recordWait()
	if e.err == nil { // the port failed
		err = fmt.Errorf("phase: phase %d, waiting for %s: %w", e.mover.Phase, e.Waiting(), err)
	}
	return e.fail(err)
}

// again prepares l for the next phase if the last one has not completed its call.
func (e *Engine) again(l *syncvar.List) {
	l.Clean, l.Attached = nil, nil // the first list has reported them
	l.Fenced = l.Fenced && syncvar.Fenced(e.outcome.Lists) < len(e.outcome.Lists)
}

// Finished reports whether the last phase completed a call of this rank.
func (e *Engine) Finished(call syncvar.Call) bool {
	if call == syncvar.Acquire {
		return e.outcome.Granted[e.mover.Rank]
	}
	return e.outcome.Complete == call
}

// Latest returns the rank whose list arrived last in the last phase.
func (e *Engine) Latest() syncvar.Latest { return e.outcome.Latest }

// Words returns, by rank, the values that all ranks contributed to the Reduce that the last phase
// completed. They are valid until the engine's next call.
func (e *Engine) Words() []uint64 {
	if e.outcome.Complete != syncvar.Reduce {
		panic(fmt.Sprintf("phase: Words called after %v, want Reduce", e.outcome.Complete))
	}
	return e.agreement.Words()
}

// Fold says how a Reduce combines vectors.
type Fold = agreement.Fold

// Folds reports whether Reduce is possible: the lists travel over a tree.
func (e *Engine) Folds() bool {
	_, ok := e.agreement.(agreement.Folder)
	return ok
}

// Reduce combines the vectors of all ranks by f and returns the result, the same on every rank.
// All vectors have the same length, at least 1. The result is valid until the engine's next call.
func (e *Engine) Reduce(vector []uint64, f Fold) ([]uint64, error) {
	folder := e.agreement.(agreement.Folder)
	length := uint64(len(vector)) << 1
	if f.AnyOrder {
		length++
	}
	folder.SetFold(vector, f)
	err := e.Meet(syncvar.Reduce, length)
	folder.SetFold(nil, Fold{})
	all := folder.Words()
	if err != nil || len(all) == len(vector) {
		return all, err
	}
	return f.Of(all), nil
}
