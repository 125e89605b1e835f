package threaded

import (
	"maps"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// LastWait says what the user thread waits for, if it does. Unlike all other methods it
// may be called by any goroutine.
func (e *Engine) LastWait() (w syncvar.Wait) {
	e.mu.Lock()
	defer e.mu.Unlock()
	ids := slices.Sorted(maps.Keys(e.wanted))
	for _, id := range ids[:min(len(ids), syncvar.WaitOwners)] {
		w.Owners = append(w.Owners, syncvar.Holding{ID: id, Owner: e.site(id).Hint().Owner})
	}
	switch {
	case len(e.out) >= outRoom:
		return w.From("free slots at ranks", []dimmnet.Rank{e.out[0].to})
	case len(ids) > 0:
		return w.From(e.before(ids))
	case e.waits != 0 && e.rank == 0:
		return w.From("the arrival of ranks", e.absent())
	case e.waits != 0:
		return w.From("word that all are here from ranks", []dimmnet.Rank{0})
	case e.ended && e.running > 0:
		return w.From("its own helper threads to end", nil)
	}
	return w
}

// before says who stands before the open requests, first those whose data are not on
// their way.
func (e *Engine) before(ids []syncvar.ID) (words string, ranks []dimmnet.Rank) {
	var granting, sending []dimmnet.Rank
	for _, id := range ids {
		if from := e.wanted[id].from; from >= 0 {
			sending = append(sending, dimmnet.Rank(from))
		} else {
			granting = append(granting, e.site(id).Before()...)
		}
	}
	if len(granting) > 0 {
		return "a grant or release by ranks", granting
	}
	return "the data of ranks", sending
}

// absent lists, at rank 0, the ranks that have not come to the meeting.
func (e *Engine) absent() (ranks []dimmnet.Rank) {
	for r := range e.meeting {
		if e.meeting[r].op == 0 {
			ranks = append(ranks, dimmnet.Rank(r))
		}
	}
	return ranks
}
