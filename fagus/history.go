package fagus

import (
	"context"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// record records the calls of one rank for Config.History.
type record struct {
	*history.Recorder
	node     *Node
	acquires []syncvar.ID // variables acquired so far, in increasing order: Update refreshes them
	now      func() Time  // the times of different ranks are compared
}

func newRecord(n *Node, h *history.History) *record {
	if h == nil {
		return nil
	}
	r := &record{Recorder: h.Rank(dimmnet.Rank(n.rank)), node: n, now: n.host.Now}
	if c, ok := n.host.(dimmnet.CommonClock); ok {
		r.now = c.CommonNow
	}
	return r
}

func (r *record) kinds() []eventKind {
	return []eventKind{eventBound, eventCalled, eventEntered, eventMet, eventGranted, eventReleasing, eventRebound}
}

func (r *record) on(e *event) error {
	switch e.kind {
	case eventBound:
		r.bound(e.ids[0])
	case eventCalled:
		r.Call()
	case eventEntered:
		r.Entered(r.now())
	case eventMet:
		r.met(e.call)
	case eventGranted:
		r.acquired(e.set)
	case eventReleasing:
		r.each(e.set, func(id syncvar.ID, access Access) {
			r.Released(id, access, r.node.engine.Version(id), r.node.space.Content(id), r.now())
		})
	case eventRebound:
		for _, id := range e.ids {
			r.Rebound(id, r.node.space.Content(id), r.now())
		}
	}
	return nil
}

func (r *record) bound(id syncvar.ID) {
	content := r.node.space.Content
	if r.node.space.IsOneCopy() { // another rank may have written by now
		content = r.node.space.Blank
	}
	r.Bind(r.node.space.Name(id), content(id))
}

func (r *record) acquired(set *SyncSet) {
	r.each(set, func(id syncvar.ID, access Access) {
		r.Acquired(id, access, r.node.engine.Version(id), r.node.space.Content(id), r.now())
		if at, found := slices.BinarySearch(r.acquires, id); !found {
			r.acquires = slices.Insert(r.acquires, at, id)
		}
	})
}

func (r *record) each(set *SyncSet, f func(syncvar.ID, Access)) {
	for _, id := range set.shared {
		f(id, Shared)
	}
	for _, id := range set.exclusive {
		f(id, Exclusive)
	}
}

func (r *record) met(call rollcall.Call) {
	r.Left(r.now())
	if call != rollcall.Update {
		return
	}
	for _, id := range r.acquires {
		r.Updated(id, r.node.engine.Version(id), r.node.space.Content(id), r.now())
	}
}

// gatherHistory exchanges the records of the ranks if they are processes of a job.
func gatherHistory(ctx context.Context, net dimmnet.Network, h *history.History) error {
	j, ok := joined(net)
	if h == nil || !ok {
		return nil
	}
	own, _ := j.Job()
	record, err := h.Rank(own).Encode()
	if err != nil {
		return fmt.Errorf("fagus: encoding the history of a run: %w", err)
	}
	records, err := gatherBytes(ctx, j, record)
	if err != nil {
		return fmt.Errorf("fagus: gathering the history of a run: %w", err)
	}
	for r := range records {
		if dimmnet.Rank(r) == own {
			continue
		}
		if err := h.Decode(dimmnet.Rank(r), records[r]); err != nil {
			return err
		}
	}
	return nil
}

// Observe records in Config.History the contents of this rank's copy of the data that v guards.
// The copy may be out of date. Without a History, Observe does nothing.
func (v *SyncVar) Observe() {
	if r := v.node.record; r != nil && v.node.engine != nil {
		r.Observed(v.id, v.node.space.Content(v.id), r.now())
	}
}
