package threaded

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// wordWait is what a thread polls for: words that ranks write into an LLCM.
type wordWait struct {
	what  string // "" for nothing
	ranks []dimmnet.Rank
}

// LastWait returns what the user thread waits for. Unlike all other methods it may be called by
// any goroutine.
func (e *Engine) LastWait() (w syncvar.Wait) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.gates.polled {
		if p.what != "" {
			return w.From(p.what, slices.Clone(p.ranks))
		}
	}
	ids := slices.Sorted(maps.Keys(e.wanted))
	for _, id := range ids[:min(len(ids), syncvar.WaitOwners)] {
		w.Owners = append(w.Owners, syncvar.Holding{ID: id, Owner: e.site(id).Hint().Owner})
	}
	switch {
	case len(e.out) >= outLimit:
		return w.From("free slots at ranks", []dimmnet.Rank{e.out[0].to})
	case len(ids) == 1 && e.wanted[ids[0]].waits && e.wanted[ids[0]].state == wantGrant:
		w.Change = true
		return w.From(fmt.Sprintf("a change of %q", e.space.Name(ids[0])), nil)
	case len(ids) > 0:
		return w.From(e.blockers(ids))
	case e.meeting.call != 0:
		if absent := e.absent(); len(absent) > 0 {
			return w.From("the arrival of ranks", absent)
		}
		return w.From("word that all are here from ranks", []dimmnet.Rank{e.meeting.parent})
	case e.meeting.ended && e.helpers.running > 0:
		return w.From("its own helper threads to end", nil)
	}
	return w
}

// blockers returns the ranks that the open requests wait for: the ranks that delay a grant or, if
// all requests are granted, the ranks whose data are arriving. what describes the wait.
func (e *Engine) blockers(ids []syncvar.ID) (what string, ranks []dimmnet.Rank) {
	var granting, sending []dimmnet.Rank
	for _, id := range ids {
		if w := e.wanted[id]; w.state == wantData {
			sending = append(sending, w.from)
		} else {
			granting = append(granting, e.site(id).Blockers()...)
		}
	}
	if len(granting) > 0 {
		return "a grant or release by ranks", granting
	}
	return "the data of ranks", sending
}

// absent returns the children that have not arrived at the present meeting of this rank.
func (e *Engine) absent() (ranks []dimmnet.Rank) {
	for i, r := range e.meeting.ranks {
		if e.meeting.arrived[0].op != 0 && e.meeting.arrived[i].op == 0 {
			ranks = append(ranks, r)
		}
	}
	return ranks
}
