package phase

import (
	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// cut is a range that fits a slot or a message, and how many versions ago it was written.
type cut struct {
	consistency.Range
	age uint16
}

// stream is what moves of one variable, cut for the slots, by address. The
// owner's is complete from the start. That of a receiver grows as cuts arrive,
// and whoever it passes them on to follows behind.
type stream struct {
	id       syncvar.ID
	from     dimmnet.Rank    // of an incoming stream
	version  syncvar.Version // the variable's; ages count back from it
	cuts     []cut
	complete bool
}

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
			s := &stream{id: t.ID, from: t.From, version: e.table.State(t.ID).Version}
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

// newSource cuts what is newer than a copy of t for the slots.
func (e *Engine) newSource(t source) *stream {
	s := &stream{id: t.id, version: e.table.State(t.id).Version, complete: true}
	for _, c := range e.newer(t) {
		for lo := c.Lo; lo < c.Hi; {
			hi := min(c.Hi, lo+consistency.Addr(e.layout.SlotBytes))
			s.cuts = append(s.cuts, cut{consistency.Range{Lo: lo, Hi: hi}, c.age})
			lo = hi
		}
	}
	if len(s.cuts) == 0 { // say at least that it ends here
		first := e.space.First(t.id)
		s.cuts = []cut{{Range: consistency.Range{Lo: first, Hi: first}}}
	}
	return s
}

// newer is what a copy of t lacks, uncut.
func (e *Engine) newer(t source) (cuts []cut) {
	version := e.table.State(t.id).Version
	for _, p := range e.space.Newer(t.id, t.since) {
		cuts = append(cuts, cut{p.Range, uint16(min(version-p.Version, ringbuf.MaxAge))})
	}
	return cuts
}

// pieces is what has arrived, with the versions that wrote it.
func (s *stream) pieces() []consistency.Piece {
	ps := make([]consistency.Piece, 0, len(s.cuts))
	for _, c := range s.cuts {
		if c.Len() > 0 {
			ps = append(ps, consistency.Piece{Range: c.Range, Version: s.version - syncvar.Version(c.age)})
		}
	}
	return ps
}
