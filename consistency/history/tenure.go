package history

import (
	"cmp"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

type eventID struct {
	rank  dimmnet.Rank
	index int
}

// tenure is the time from the Acquire of a variable to its Release. If the rank failed or the run
// ended before the Release, ended is false.
type tenure struct {
	variable   syncvar.ID
	access     syncvar.Access
	version    syncvar.Version
	rebinds    int // number of rebindings of the variable before the tenure
	begin, end eventID
	ended      bool
}

func (h *History) at(p eventID) *event { return &h.ranks[p.rank].events[p.index] }

// tenures returns the tenures of every variable, by version. The exclusive tenure of a version
// comes before the shared tenures of the same version.
func (h *History) tenures() (list map[syncvar.ID][]tenure, bad *Violation) {
	list = make(map[syncvar.ID][]tenure)
	for rank, r := range h.ranks {
		open := make(map[syncvar.ID]int) // by variable: the index in list of the open tenure
		rebinds := make(map[syncvar.ID]int)
		for i := range r.events {
			e, p := &r.events[i], eventID{dimmnet.Rank(rank), i}
			switch e.op {
			case begin:
				if _, held := open[e.variable]; held {
					return nil, h.violation(Form, "%s, which it holds already", h.describe(p))
				}
				open[e.variable] = len(list[e.variable])
				list[e.variable] = append(list[e.variable], tenure{variable: e.variable, access: e.access, version: e.version, rebinds: rebinds[e.variable], begin: p})
			case end:
				at, held := open[e.variable]
				if !held {
					return nil, h.violation(Form, "%s, which it does not hold", h.describe(p))
				}
				t := &list[e.variable][at]
				if t.access != e.access || t.version != e.version {
					return nil, h.violation(Form, "%s; it had %s", h.describe(p), h.describe(t.begin))
				}
				t.end, t.ended = p, true
				delete(open, e.variable)
			case rebind:
				rebinds[e.variable]++
				if _, held := open[e.variable]; held {
					return nil, h.violation(Form, "%s, and holds it", h.describe(p))
				}
			case enter:
				for id := range open {
					return nil, h.violation(Form, "%s, holding %s", h.describe(p), h.name(id))
				}
			}
		}
	}
	for _, ts := range list {
		slices.SortStableFunc(ts, func(a, b tenure) int {
			return cmp.Or(cmp.Compare(a.version, b.version), cmp.Compare(b.access, a.access))
		})
	}
	return list, nil
}

func ids(list map[syncvar.ID][]tenure) []syncvar.ID {
	keys := make([]syncvar.ID, 0, len(list))
	for id := range list {
		keys = append(keys, id)
	}
	slices.Sort(keys)
	return keys
}
