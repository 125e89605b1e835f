package threaded

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// passedSlots is the fewest slots of data that a reader passes on. The owner sends less data
// itself: that costs it little more than a message to the reader that would pass them on.
const passedSlots = 2

// reads returns the reader that should send the data of a shared grant. ok is false if this rank,
// the owner, sends them.
func (e *Engine) reads(id syncvar.ID, t *syncvar.Action, data *consistency.Stream) (from dimmnet.Rank, ok bool) {
	if !e.cfg.Trees || t.Access != syncvar.Shared {
		return 0, false
	}
	r := e.readers[id]
	if r == nil {
		r = new(syncvar.Readers)
		e.readers[id] = r
	}
	free := e.flowing < syncvar.Fanout || len(data.Cuts) < passedSlots
	return r.Source(&t.Want, t.Version, free)
}

// passOn grants another rank's request on behalf of the owner, from. It sends the data that this
// rank has, is getting or will get. They cannot change meanwhile: from grants no exclusive tenure
// before the reader has released the variable, and the reader has all data before it does.
func (e *Engine) passOn(from dimmnet.Rank, m message) error {
	s, w := e.site(m.id), e.wanted[m.id]
	if e.cfg.Trees && w != nil && w.state == wantGrant && w.access == syncvar.Shared && s.Have() < m.version && len(w.early) < syncvar.Fanout {
		w.early = append(w.early, early{from, m})
		return nil
	}
	if !e.cfg.Trees || m.rank == e.rank || m.rank == from || s.Hint().Owner != from || s.Have() != m.version || m.since >= m.version {
		return fmt.Errorf("rank %d wants %q of version %d passed on to rank %d, of which this rank, with version %d, knows nothing",
			from, e.space.Name(m.id), m.version, m.rank, s.Have())
	}
	var data *consistency.Stream
	if w == nil || w.state != wantData {
		data = e.space.Stream(m.id, m.since, m.version, e.layout.SlotBytes)
	} else if data = w.stream; m.since < w.have {
		return fmt.Errorf("rank %d wants %q of version %d passed on to rank %d, which has version %d; this rank gets what is newer than %d",
			from, e.space.Name(m.id), m.version, m.rank, m.since, w.have)
	}
	e.counts.Transfers++
	e.counts.Passed++
	return e.queue(outgoing{to: m.rank, m: message{op: grant, id: m.id, rank: from, version: m.version, flag: true, delayed: m.delayed, passed: true}, stream: data})
}

// early is a message that asks this rank to pass data on. It has overtaken the grant of the data
// to this rank, which comes from another reader.
type early struct {
	from dimmnet.Rank
	m    message
}

// park keeps a message until more of its data have arrived at this rank. The lock is held.
func (e *Engine) park(o *outgoing) {
	w := e.wanted[o.stream.ID]
	w.parked = append(w.parked, *o)
}

// unpark queues the parked messages again when data for them arrive. The lock is held.
func (e *Engine) unpark(w *want) {
	if len(w.parked) > 0 {
		e.out = append(e.out, w.parked...)
		w.parked = w.parked[:0]
		e.wake(send)
	}
}
