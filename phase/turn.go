package phase

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// A turn is a phase in which all ranks acquire by inline requests, at most one of them wants a
// variable, and nobody reports a clean one: a rank hands a variable to another. The requests are
// the plan, as nothing can conflict. So a turn needs no Plan.derive, no queues and no method.
//
// The variable's contents, where the rank lacks them, have come with the request (attach.go), or
// the rank copies them from the owner's memory (fetch). If they come otherwise, or to another rank
// than the one that wants them, the phase is not a turn.

// turn ends the phase if it is a turn: it does what makePlan, the method and finish would do.
// Otherwise it returns false, and has done nothing that makePlan would not do.
func (e *Engine) turn() (done bool, err error) {
	to, ok := e.taker()
	taken := to != e.nobody()
	if !ok {
		return false, nil
	}
	e.table.SettleAll()
	if taken && !e.space.IsOneCopy() {
		if done, err := e.handOver(to); !done || err != nil {
			return false, err
		}
	}
	e.offered = nil
	e.plan.Granted, e.plan.Complete, e.plan.Partial = e.everyone, 0, false
	e.plan.Transfers = e.plan.Transfers[:0]
	if taken {
		if to == e.rank && e.prefetch != nil && e.space.IsOneCopy() {
			e.prefetchGranted()
		}
		e.table.Apply(e.lists, e.everyone)
	}
	e.end()
	return true, nil
}

func (e *Engine) nobody() dimmnet.Rank { return dimmnet.Rank(len(e.lists)) }

// taker returns the rank that wants a variable, or nobody. ok reports whether the phase is
// a turn, as far as the lists tell.
func (e *Engine) taker() (to dimmnet.Rank, ok bool) {
	if e.queued || e.everyone == nil {
		return 0, false
	}
	to = e.nobody()
	for r := range e.lists {
		l := &e.lists[r]
		n := len(l.Shared) + len(l.Exclusive)
		switch {
		case l.Call != syncvar.Acquire || l.Fenced || len(l.Clean) > 0 || n > 1 || n == 1 && to != e.nobody():
			return 0, false
		case n == 1:
			to = dimmnet.Rank(r)
		}
	}
	return to, true
}

// handOver brings the variable that rank to wants from its owner, if this is the rank. It returns
// false, and does nothing, if the contents take a slot or a message.
func (e *Engine) handOver(to dimmnet.Rank) (done bool, err error) {
	l := &e.lists[to]
	ids := l.Shared
	if len(ids) == 0 {
		ids = l.Exclusive
	}
	id := ids[0]
	state := e.table.State(id)
	if !state.Lacks(to) {
		return true, nil
	}
	of := &e.lists[state.Owner]
	attached := len(of.Attached) > 0 && of.Attached[0] == id
	fetch, ok := e.method.(*fetch)
	if !attached && !(ok && fetch.small(id)) {
		return false, nil
	}
	if e.watch != nil {
		e.watch.Moving()
	}
	switch {
	case state.Owner == e.rank:
		e.counts.Transfers++
		if len(e.offered) > 0 && e.offered[0] == id {
			e.sought[id] = true
		}
	case to != e.rank:
	case attached:
		err = e.readAttached(id)
	default:
		e.copyWhole(id, state.Owner)
	}
	return true, err
}
