package syncvar

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Queue is the knowledge that one rank, its manager, has of a variable which
// ranks acquire and release one by one: its State, who holds it, and who waits for
// it. Whoever asked first is served first; a shared request behind an exclusive one
// waits, so that nobody waits for ever. The zero Queue is a variable that nobody
// has acquired.
type Queue struct {
	State
	mode    Mode // of the holders
	holders []dimmnet.Rank
	waiting []Want
}

// Want is a rank's request for a variable.
type Want struct {
	Rank  dimmnet.Rank
	Mode  Mode
	Brief bool // a shared tenure of no length, as Update has: it is never released
}

// Turn is a request that is granted: From brings the rank what is newer than
// Since. A rank that lacks nothing is its own From.
type Turn struct {
	Want
	From    dimmnet.Rank
	Since   Version
	Version Version // the variable's; that of an exclusive tenure is its own
}

// Request adds a request and returns the turns that follow from it. An error says
// that the rank holds the variable, or waits for it, already.
func (q *Queue) Request(w Want) ([]Turn, error) {
	if slices.Contains(q.holders, w.Rank) || slices.ContainsFunc(q.waiting, func(x Want) bool { return x.Rank == w.Rank }) {
		return nil, fmt.Errorf("syncvar: rank %d asks for a variable that it holds or waits for", w.Rank)
	}
	q.waiting = append(q.waiting, w)
	return q.serve(), nil
}

// Release ends a rank's tenure; written says whether it changed anything. It
// returns the turns that follow.
func (q *Queue) Release(rank dimmnet.Rank, written bool) ([]Turn, error) {
	i := slices.Index(q.holders, rank)
	if i < 0 || written && q.mode != Exclusive {
		return nil, fmt.Errorf("syncvar: rank %d releases a variable that it does not hold so", rank)
	}
	q.holders = slices.Delete(q.holders, i, i+1)
	if written {
		q.Written, q.Owner = q.Version, rank
	}
	return q.serve(), nil
}

// serve grants from the front of the queue as far as it goes.
func (q *Queue) serve() (turns []Turn) {
	for len(q.waiting) > 0 {
		w := q.waiting[0]
		if len(q.holders) > 0 && (q.mode == Exclusive || w.Mode == Exclusive) {
			break
		}
		q.waiting = q.waiting[1:]
		if !w.Brief {
			q.holders, q.mode = append(q.holders, w.Rank), w.Mode
		}
		turns = append(turns, q.turn(w))
	}
	return turns
}

// turn brings a rank's copy up to date.
func (q *Queue) turn(w Want) Turn {
	t := Turn{Want: w, From: w.Rank, Since: q.have(w.Rank)}
	if q.lacks(w.Rank) {
		t.From = q.Owner
	}
	if w.Mode == Exclusive {
		q.Version++
	}
	t.Version = q.Version
	q.setCopy(w.Rank, q.Version)
	return t
}
