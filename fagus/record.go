package fagus

import (
	"slices"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// record is what a rank keeps for Config.History; nil if nobody wants it.
type record struct {
	*history.Recorder
	node *Node
	had  []syncvar.ID // acquired before, in order: what Update brings
}

func newRecord(n *Node, h *history.History) *record {
	if h == nil {
		return nil
	}
	return &record{Recorder: h.Rank(dimmnet.Rank(n.rank)), node: n}
}

func (r *record) bound(id syncvar.ID, name string) {
	if r != nil {
		r.Bind(name, r.node.space.Content(id))
	}
}

func (r *record) call() {
	if r != nil {
		r.Call()
	}
}

// acquired records that the tenures of a set have begun.
func (r *record) acquired(set *SyncSet) {
	r.each(set, func(id syncvar.ID, mode Mode) {
		r.Acquired(id, mode, r.node.engine.Version(id), r.node.space.Content(id), r.node.host.Now())
		if at, had := slices.BinarySearch(r.had, id); !had {
			r.had = slices.Insert(r.had, at, id)
		}
	})
}

// released records that they end.
func (r *record) released(set *SyncSet) {
	r.each(set, func(id syncvar.ID, mode Mode) {
		r.Released(id, mode, r.node.engine.Version(id), r.node.space.Content(id), r.node.host.Now())
	})
}

func (r *record) each(set *SyncSet, f func(syncvar.ID, Mode)) {
	if r == nil {
		return
	}
	for _, id := range set.shared {
		f(id, Shared)
	}
	for _, id := range set.exclusive {
		f(id, Exclusive)
	}
}

// meets records that the rank waits for all; the function that it returns, that all
// were there.
func (r *record) meets(call syncvar.Call) (met func()) {
	if r == nil {
		return func() {}
	}
	r.Entered(r.node.host.Now())
	return func() {
		r.Left(r.node.host.Now())
		if call != syncvar.Update {
			return
		}
		for _, id := range r.had {
			r.Updated(id, r.node.engine.Version(id), r.node.space.Content(id), r.node.host.Now())
		}
	}
}

// Look records what the rank's copy of all that v guards holds now, which need not be
// current, for the checker of Config.History. Without it, it does nothing.
func (v *SyncVar) Look() {
	if r := v.node.record; r != nil && v.node.engine != nil {
		r.Looked(v.id, v.node.space.Content(v.id), v.node.host.Now())
	}
}
