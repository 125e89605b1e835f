package phase

import (
	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// stream is what moves of one variable, cut for the slots. Whoever a receiver
// passes its stream on to follows behind.
type stream struct {
	consistency.Stream
	from   dimmnet.Rank // of an incoming stream
	coming int          // of its cuts, so many of the last have not come whole
}

// here is how many cuts can be sent.
func (s *stream) here() int { return len(s.Cuts) - s.coming }

// source names what an owner sends: ranks with the same version of a variable
// get the same stream.
type source struct {
	id    syncvar.ID
	since syncvar.Version
}

// prepare makes the streams of this rank's part of the plan.
func (e *Engine) prepare() {
	clear(e.incoming)
	clear(e.sources)
	own := e.port.Rank()
	for _, t := range e.plan.Transfers {
		key := source{t.ID, t.Since}
		switch {
		case e.bulk.carries(key):
		case t.To == own:
			s := e.newStream(t.ID, t.From)
			e.incoming[t.ID] = s
			e.arriving = append(e.arriving, s)
			e.in[e.peer(t.From)].due++
		case t.From == own && t.Relay: // its own transfer came earlier in the plan
			e.send(t.To, e.incoming[t.ID])
		case t.From == own:
			if e.sources[key] == nil {
				e.sources[key] = e.newSource(key)
			}
			e.send(t.To, e.sources[key])
		}
	}
}

func (e *Engine) send(to dimmnet.Rank, s *stream) {
	o := &e.out[e.peer(to)]
	o.queue = append(o.queue, outgoing{stream: s})
}

// newSource cuts what is newer than a copy of t for the slots, if it goes through them.
func (e *Engine) newSource(t source) *stream {
	most := e.layout.SlotBytes
	switch {
	case e.giver != nil:
		most = giftBytes
	case e.places:
		most = consistency.MaxAddr
	}
	return &stream{Stream: *e.space.Stream(t.id, t.since, e.table.State(t.id).Version, most)}
}

// newStream is that of a variable that is to arrive.
func (e *Engine) newStream(id syncvar.ID, from dimmnet.Rank) *stream {
	return &stream{Stream: consistency.Stream{ID: id, Version: e.table.State(id).Version}, from: from}
}
