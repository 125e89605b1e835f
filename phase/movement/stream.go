package movement

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
	incomplete int          // how many cuts, the last ones in Cuts, have not fully arrived
}

func (s *stream) sendable() int { return len(s.Cuts) - s.incomplete }

// Source identifies a stream at its owner. Receivers with the same version get the same stream.
type Source struct {
	ID    syncvar.ID
	Since syncvar.Version
}

func (m *Mover) queueTransfers(transfers []syncvar.Transfer) {
	clear(m.incoming)
	clear(m.sources)
	own := m.Rank
	for _, t := range transfers {
		key := Source{t.ID, t.Since}
		switch {
		case t.To == own:
			s := m.newStream(t.ID, t.From)
			m.incoming[t.ID] = s
			m.arriving = append(m.arriving, s)
			m.in[m.Peer(t.From)].expect()
		case t.From == own && t.Relay: // the transfer to this rank is earlier in the plan
			m.out[m.Peer(t.To)].send(m.incoming[t.ID])
		case t.From == own:
			if m.sources[key] == nil {
				s := m.newStream(t.ID, own)
				m.Space.Fill(&s.Stream, t.ID, t.Since, m.agreement.Moved(t.ID), m.maxCut)
				m.sources[key] = s
			}
			m.out[m.Peer(t.To)].send(m.sources[key])
		}
	}
}

// newStream returns a stream without cuts, which is valid until the end of the phase.
func (m *Mover) newStream(id syncvar.ID, from dimmnet.Rank) *stream {
	if m.streaming == len(m.streams) {
		m.streams = append(m.streams, new(stream))
	}
	s := m.streams[m.streaming]
	m.streaming++
	*s = stream{Stream: consistency.Stream{ID: id, Version: m.agreement.Moved(id), Cuts: s.Cuts[:0]}, from: from}
	return s
}

// follow adds c, which rank from sent, to the incoming stream of its variable. It returns the
// stream and the memory of the cut. last says that the cut ends the stream.
func (m *Mover) follow(from dimmnet.Rank, c consistency.Cut, last bool) (s *stream, mem []byte, err error) {
	id, mem, err := m.Space.Guard(c.Range)
	if err != nil {
		return nil, nil, fmt.Errorf("phase: data of rank %d: %w", from, err)
	}
	s = m.incoming[id]
	if s == nil || s.from != from || s.Complete {
		return nil, nil, fmt.Errorf("phase: rank %d sent data of %q, which are not due from it", from, m.Space.Name(id))
	}
	if err := m.Space.Follow(&s.Stream, c, last); err != nil {
		return nil, nil, fmt.Errorf("phase: rank %d sent %w", from, err)
	}
	return s, mem, nil
}

// AcceptWhole records that all bytes that a variable guards have arrived. Bytes that were not new
// count as new, which does no harm.
func (m *Mover) AcceptWhole(id syncvar.ID) {
	m.pieces = m.pieces[:0]
	for _, r := range m.Space.Ranges(id) {
		m.pieces = append(m.pieces, consistency.Piece{Range: r, Version: m.agreement.Moved(id)})
	}
	m.Space.Accept(id, m.pieces)
}
