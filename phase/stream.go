package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// stream is the data of one variable in transit, in cuts. A rank that passes an incoming stream
// on sends each cut as soon as the cut has arrived whole.
type stream struct {
	consistency.Stream
	from       dimmnet.Rank // the sender of an incoming stream
	incomplete int          // how many cuts, the last in Cuts, have not arrived whole
}

func (s *stream) sendable() int { return len(s.Cuts) - s.incomplete }

// source identifies a stream at its owner. Receivers with the same version get the same stream.
type source struct {
	id    syncvar.ID
	since syncvar.Version
}

func (e *Engine) queueTransfers(transfers []syncvar.Transfer) {
	clear(e.incoming)
	clear(e.sources)
	own := e.rank
	for _, t := range transfers {
		key := source{t.ID, t.Since}
		switch {
		case t.To == own:
			s := e.newStream(t.ID, t.From)
			e.incoming[t.ID] = s
			e.arriving = append(e.arriving, s)
			e.in[e.peer(t.From)].expect()
		case t.From == own && t.Relay: // the transfer to this rank is earlier in the plan
			e.out[e.peer(t.To)].send(e.incoming[t.ID])
		case t.From == own:
			if e.sources[key] == nil {
				s := e.newStream(t.ID, own)
				e.space.Fill(&s.Stream, t.ID, t.Since, e.version(t.ID), e.maxCut)
				e.sources[key] = s
			}
			e.out[e.peer(t.To)].send(e.sources[key])
		}
	}
}

// newStream returns a stream without cuts, which is valid until the end of the phase.
func (e *Engine) newStream(id syncvar.ID, from dimmnet.Rank) *stream {
	if e.streaming == len(e.streams) {
		e.streams = append(e.streams, new(stream))
	}
	s := e.streams[e.streaming]
	e.streaming++
	*s = stream{Stream: consistency.Stream{ID: id, Version: e.version(id), Cuts: s.Cuts[:0]}, from: from}
	return s
}

// follow adds c, which rank from has sent, to the incoming stream of its variable. It returns the
// stream and the memory of the cut. last says that the cut ends the stream.
func (e *Engine) follow(from dimmnet.Rank, c consistency.Cut, last bool) (s *stream, mem []byte, err error) {
	id, mem, err := e.space.Guard(c.Range)
	if err != nil {
		return nil, nil, fmt.Errorf("phase: data of rank %d: %w", from, err)
	}
	s = e.incoming[id]
	if s == nil || s.from != from || s.Complete {
		return nil, nil, fmt.Errorf("phase: rank %d sent data of %q, which are not due from it", from, e.space.Name(id))
	}
	if err := e.space.Follow(&s.Stream, c, last); err != nil {
		return nil, nil, fmt.Errorf("phase: rank %d sent %w", from, err)
	}
	return s, mem, nil
}

// acceptWhole records that all bytes that a variable guards have arrived. Bytes that were not new
// count as new, which does no harm.
func (e *Engine) acceptWhole(id syncvar.ID) {
	e.pieces = e.pieces[:0]
	for _, r := range e.space.Ranges(id) {
		e.pieces = append(e.pieces, consistency.Piece{Range: r, Version: e.version(id)})
	}
	e.space.Accept(id, e.pieces)
}
