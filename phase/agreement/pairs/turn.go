package pairs

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// A turn is a phase in which one rank hands a variable to another: all ranks acquire by inline
// requests, at most one of them wants a variable, and nobody reports a clean one. The requests are
// the plan, as nothing can conflict. So a turn needs no Plan.Derive, no queues and no method.
//
// If the rank lacks the variable's contents, they have come with the request (attach.go), or the
// rank copies them from the owner's memory (fetch). If they must come in another way, or go to
// another rank than the one that wants them, the phase is not a turn.

// turn ends the phase if it is a turn. It does the work of plan, the Mover and Finish. Otherwise
// it returns false, and has done nothing that plan would not do.
func (p *Inline) turn() (done bool, err error) {
	to, access, id, granted, ok := p.taker()
	if !ok {
		return false, nil
	}
	p.table.SettleAll()
	if access != 0 && !p.m.Space.IsOneCopy() {
		if done, err := p.handOver(to, id); !done || err != nil {
			return false, err
		}
	}
	p.offered = nil
	p.outcome.Granted, p.outcome.Complete, p.outcome.Transfers = granted, 0, p.outcome.Transfers[:0]
	if access != 0 {
		if to == p.rank && p.prefetch != nil && p.m.Space.IsOneCopy() {
			p.prefetchFirst(id, access == syncvar.Exclusive)
		}
		p.table.Grant(to, id, access)
	}
	return true, nil
}

// taker returns the rank that wants a variable, and what it wants; access is 0 if no rank wants
// one. granted is by rank: all but those that await a change. ok is false if the requests show that
// the phase is no turn.
func (p *Inline) taker() (to dimmnet.Rank, access syncvar.Access, id syncvar.ID, granted []bool, ok bool) {
	to, granted = p.rank, p.everyone
	access, id, waits, ok := syncvar.InlineTakes(p.requests.own, p.requests.list.Declared)
	if !ok {
		return 0, 0, 0, nil, false
	}
	if waits {
		granted = p.without(granted, p.rank)
	}
	for i, w := range p.requests.words {
		from := p.peers[i]
		a, wanted, waits, ok := syncvar.InlineTakes(w, p.outcome.Lists[from].Declared)
		if !ok || a != 0 && access != 0 {
			return 0, 0, 0, nil, false
		}
		if waits {
			granted = p.without(granted, from)
		}
		if a != 0 {
			to, access, id = from, a, wanted
		}
	}
	return to, access, id, granted, true
}

// without returns granted without a rank. It does not change p.everyone.
func (p *Inline) without(granted []bool, rank dimmnet.Rank) []bool {
	if &granted[0] == &p.everyone[0] {
		p.some = append(p.some[:0], granted...)
		granted = p.some
	}
	granted[rank] = false
	return granted
}

// handOver brings variable id from its owner if rank to, which wants it, is this rank. It returns
// false, and does nothing, if the contents need a slot or a message.
func (p *Inline) handOver(to dimmnet.Rank, id syncvar.ID) (done bool, err error) {
	owner, lacks := p.table.Source(id, to)
	if !lacks {
		return true, nil
	}
	attached := p.attached(id, owner)
	if !attached && !p.m.CopiesWhole(id) {
		return false, nil
	}
	switch {
	case owner == p.rank:
		p.m.Counts.Transfers++
		if len(p.offered) > 0 && p.offered[0] == id {
			p.sought[id] = true
		}
	case to != p.rank:
	case attached:
		err = p.readAttached(id)
	default:
		p.observer.On(syncvar.Event{Kind: syncvar.Moving})
		p.m.CopyWhole(id, owner)
	}
	return true, err
}

// mostPrefetched bounds the number of variables whose first bytes a rank prefetches.
const mostPrefetched = 4

// prefetchGranted prefetches the first bytes of the variables that this rank has been granted.
func (p *Inline) prefetchGranted() {
	l := p.own
	for write, ids := range [...][]syncvar.ID{l.Shared, l.Exclusive} {
		for _, id := range ids[:min(len(ids), mostPrefetched)] {
			p.prefetchFirst(id, write == 1)
		}
	}
}

// prefetchFirst prefetches the first bytes of a variable. Where ranks share one copy, these bytes
// are still in the cache of the rank that wrote them, and come while Acquire returns.
func (p *Inline) prefetchFirst(id syncvar.ID, write bool) {
	if ranges := p.m.Space.Ranges(id); len(ranges) > 0 {
		p.prefetch.Prefetch(p.m.Space.Bytes(ranges[0]), write)
	}
}
