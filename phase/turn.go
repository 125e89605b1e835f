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
	to, access, id, ok := e.taker()
	if !ok {
		return false, nil
	}
	e.table.SettleAll()
	if access != 0 && !e.space.IsOneCopy() {
		if done, err := e.handOver(to, id); !done || err != nil {
			return false, err
		}
	}
	e.offered = nil
	e.plan.Granted, e.plan.Complete, e.plan.Partial = e.everyone, 0, false
	e.plan.Transfers = e.plan.Transfers[:0]
	if access != 0 {
		if to == e.rank && e.prefetch != nil && e.space.IsOneCopy() {
			e.prefetchFirst(id, access == syncvar.Exclusive)
		}
		e.table.Grant(to, id, access)
	}
	e.end()
	return true, nil
}

// taker returns the rank that wants a variable, and what it wants: access is 0 if no rank does. ok
// reports whether the phase is a turn, as far as the requests tell.
func (e *Engine) taker() (to dimmnet.Rank, access syncvar.Access, id syncvar.ID, ok bool) {
	if e.everyone == nil {
		return 0, 0, 0, false
	}
	to = e.rank
	if access, id, ok = syncvar.InlineTakes(e.requests.own, e.requests.list.Declared); !ok {
		return 0, 0, 0, false
	}
	for i, w := range e.requests.words {
		from := e.peers[i]
		a, wanted, ok := syncvar.InlineTakes(w, e.lists[from].Declared)
		if !ok || a != 0 && access != 0 {
			return 0, 0, 0, false
		}
		if a != 0 {
			to, access, id = from, a, wanted
		}
	}
	return to, access, id, true
}

// handOver brings variable id, which rank to wants, from its owner, if to is this rank. It returns
// false, and does nothing, if the contents take a slot or a message.
func (e *Engine) handOver(to dimmnet.Rank, id syncvar.ID) (done bool, err error) {
	owner, lacks := e.table.Source(id, to)
	if !lacks {
		return true, nil
	}
	attached := e.attached(id, owner)
	fetch, ok := e.method.(*fetch)
	if !attached && !(ok && fetch.small(id)) {
		return false, nil
	}
	switch {
	case owner == e.rank:
		e.counts.Transfers++
		if len(e.offered) > 0 && e.offered[0] == id {
			e.sought[id] = true
		}
	case to != e.rank:
	case attached:
		err = e.readAttached(id)
	default:
		e.observer.Moving()
		e.copyWhole(id, owner)
	}
	return true, err
}
