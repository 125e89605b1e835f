package history

import (
	"cmp"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// place is an event of the history.
type place struct {
	rank  dimmnet.Rank
	index int
}

// tenure is from the acquisition of a variable to its release. If the rank failed
// or the run ended before, ended is false.
type tenure struct {
	variable   syncvar.ID
	mode       syncvar.Mode
	version    syncvar.Version
	begin, end place
	ended      bool
}

// at is an event.
func (h *History) at(p place) *event { return &h.ranks[p.rank].events[p.index] }

// tenures lists those of every variable, in the order that their versions claim: the
// exclusive one of a version before the shared ones.
func (h *History) tenures() (list map[syncvar.ID][]tenure, bad *Violation) {
	list = make(map[syncvar.ID][]tenure)
	for rank, r := range h.ranks {
		open := make(map[syncvar.ID]int) // where in its list
		for i := range r.events {
			e, p := &r.events[i], place{dimmnet.Rank(rank), i}
			switch e.op {
			case begin:
				if _, held := open[e.variable]; held {
					return nil, h.violation(Form, "%s, which it holds already", h.describe(p))
				}
				open[e.variable] = len(list[e.variable])
				list[e.variable] = append(list[e.variable], tenure{variable: e.variable, mode: e.mode, version: e.version, begin: p})
			case end:
				at, held := open[e.variable]
				if !held {
					return nil, h.violation(Form, "%s, which it does not hold", h.describe(p))
				}
				t := &list[e.variable][at]
				if t.mode != e.mode || t.version != e.version {
					return nil, h.violation(Form, "%s; it had %s", h.describe(p), h.describe(t.begin))
				}
				t.end, t.ended = p, true
				delete(open, e.variable)
			case enter:
				for id := range open {
					return nil, h.violation(Form, "%s, holding %s", h.describe(p), h.name(id))
				}
			}
		}
	}
	for _, ts := range list {
		slices.SortStableFunc(ts, func(a, b tenure) int {
			return cmp.Or(cmp.Compare(a.version, b.version), cmp.Compare(b.mode, a.mode))
		})
	}
	return list, nil
}

// ids are the variables of a map, in order.
func ids(list map[syncvar.ID][]tenure) []syncvar.ID {
	keys := make([]syncvar.ID, 0, len(list))
	for id := range list {
		keys = append(keys, id)
	}
	slices.Sort(keys)
	return keys
}
