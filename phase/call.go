package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Call takes the rank through communication phases until the call of l is complete. An Acquire is
// complete when all variables of l are granted and their data have arrived, any other call when all
// ranks are in it. The caller sets Call, Fenced, Shared, Exclusive, Clean, Attached and Word of l,
// and leaves l alone until Call returns.
func (e *Engine) Call(l *syncvar.List) error {
	l.Since = e.phase
	if !e.polls {
		e.observer.Entered()
	}
	if err := e.begin(l); err != nil {
		return err
	}
	if e.polls {
		e.observer.Entered()
	}
	return e.complete(l)
}

// Meet is Call for a list that says nothing but that the rank waits for all ranks in a call. Where
// requests are polled, the rank knows what to post before it has made a list.
func (e *Engine) Meet(call syncvar.Call, word uint64) error {
	l := e.own
	if !e.polls || e.err != nil || !e.same || l.Declared != uint32(e.space.Declared()) {
		e.meeting = syncvar.List{Call: call, Word: word}
		return e.Call(&e.meeting)
	}
	l.Meet(call, e.phase, word)
	e.ownList, e.queued, e.state = e.ownList[:0], false, gather
	e.requests.meet(e, l)
	e.observer.Entered()
	return e.complete(l)
}

// complete takes the rank through the rest of the phase that has begun with l, and through more
// phases until the call of l is complete.
func (e *Engine) complete(l *syncvar.List) error {
	for {
		if err := e.drive(); err != nil || e.Finished(l.Call) {
			return err
		}
		if l.Call == syncvar.Acquire {
			e.observer.Denied(syncvar.Denied(e.lists, e.plan.Granted, e.rank))
		}
		e.again(l)
		if err := e.begin(l); err != nil {
			return err
		}
	}
}

// drive takes the rank through the rest of the phase.
func (e *Engine) drive() error {
	if e.polls && e.state == gather {
		if err := e.poll(); err != nil {
			return err
		}
	}
	if e.state == between {
		return nil
	}
	e.keepOwn()
	err := dimmnet.Drive(e.waitPort, e, e.Done)
	if err == nil {
		return nil
	}
	e.recordWait()
	if e.err == nil { // the port failed
		err = fmt.Errorf("phase: phase %d, waiting for %s: %w", e.phase, e.Waiting(), err)
	}
	return e.fail(err)
}

// shortPolls bounds the polls of a phase before Call leaves waiting to dimmnet.Drive: about as long
// as requests take that ranks on different processors post at the same time.
const shortPolls = 200

// poll takes the requests of a phase as they land. It returns when the phase is over, and also when
// the phase takes more than requests, and after shortPolls: then Call drives it to its end.
func (e *Engine) poll() error {
	r := &e.requests
	for range shortPolls {
		if _, err := r.step(e); err != nil {
			return e.fail(err)
		}
		if e.queued {
			return nil
		}
		if !r.pending(e) {
			return e.fail(e.planned())
		}
	}
	return nil
}

// meet ends a phase in which all ranks have sent the same request, and wait for all ranks in the
// same call. It does what makePlan and finish would do. It returns false, and does nothing, if they
// have more to do.
func (e *Engine) meet() (done bool) {
	r := &e.requests
	if !r.meets || r.alike < len(e.peers) || !e.same {
		return false
	}
	call := r.list.Call
	if e.updates(call) {
		return false
	}
	e.offered = nil // the contents were not attached
	if r.reduce {
		e.own.Word = r.list.Word
		for _, from := range e.peers {
			e.lists[from].Word = e.port.Load(e.inline.value(e.rank, from, e.phase))
		}
	}
	e.table.SettleAll()
	if call == syncvar.Update {
		e.table.ApplyUpdate()
	}
	e.plan.Complete = call
	e.end()
	return true
}

// updates reports whether a call of this rank is an Update that may have to move data.
func (e *Engine) updates(call syncvar.Call) bool {
	return call == syncvar.Update && !e.space.IsOneCopy()
}

// again prepares l for the next phase of a call that the last phase has not completed.
func (e *Engine) again(l *syncvar.List) {
	l.Clean, l.Attached = nil, nil // the first list has reported them
	l.Fenced = l.Fenced && syncvar.Fenced(e.lists) < len(e.lists)
}

// Finished reports whether the last phase completed a call of this rank.
func (e *Engine) Finished(call syncvar.Call) bool {
	if call == syncvar.Acquire {
		return e.plan.Granted[e.rank]
	}
	return e.plan.Complete == call
}

// Words returns, by rank, the values that all ranks contributed to the Reduce that the last phase
// completed. They are valid until the engine's next call.
func (e *Engine) Words() []uint64 {
	if e.plan.Complete != syncvar.Reduce {
		panic(fmt.Sprintf("phase: Words called after %v, want Reduce", e.plan.Complete))
	}
	if e.tree.Arity > 0 {
		return e.fold.all
	}
	if e.values == nil {
		e.values = make([]uint64, len(e.lists))
	}
	for r := range e.lists {
		e.values[r] = e.lists[r].Word
	}
	return e.values
}

// Latest returns where the engine keeps the rank whose list arrived last in the last phase. It
// returns nil if the engine cannot know: lists that travel over a tree arrive together.
func (e *Engine) Latest() *dimmnet.Rank {
	if e.tree.Arity > 0 || len(e.peers) == 0 {
		return nil
	}
	return &e.latest
}
