package phase

import (
	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// cut is a range that fits a slot, and how many versions ago it was written.
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
		switch {
		case t.To == own:
			s := &stream{id: t.ID, from: t.From, version: e.table.State(t.ID).Version}
			e.incoming[t.ID] = s
			e.arriving = append(e.arriving, s)
			e.in[t.From].due++
		case t.From == own && t.Relay: // its own transfer came earlier in the plan
			e.out[t.To].queue = append(e.out[t.To].queue, outgoing{stream: e.incoming[t.ID]})
		case t.From == own:
			key := source{t.ID, t.Since}
			if e.sources[key] == nil {
				e.sources[key] = e.newSource(t)
			}
			e.out[t.To].queue = append(e.out[t.To].queue, outgoing{stream: e.sources[key]})
		}
	}
}

// newSource cuts what is newer than t.Since for the slots.
func (e *Engine) newSource(t syncvar.Transfer) *stream {
	s := &stream{id: t.ID, version: e.table.State(t.ID).Version, complete: true}
	for _, p := range e.space.Newer(t.ID, t.Since) {
		age := uint16(min(s.version-p.Version, ringbuf.MaxAge))
		for lo := p.Lo; lo < p.Hi; {
			hi := min(p.Hi, lo+consistency.Addr(e.layout.SlotBytes))
			s.cuts = append(s.cuts, cut{consistency.Range{Lo: lo, Hi: hi}, age})
			lo = hi
		}
	}
	if len(s.cuts) == 0 { // say at least that it ends here
		first := e.space.First(t.ID)
		s.cuts = []cut{{Range: consistency.Range{Lo: first, Hi: first}}}
	}
	return s
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
