package consistency

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/syncvar"
)

// Cut is a range that is sent as one piece. Age is how many versions ago the range was written. An
// Age above the maximum is stored as the maximum, so the bytes seem newer, which does no harm.
type Cut struct {
	Range
	Age uint16
}

// Stream is the data of one variable that one rank sends to another. At the owner a stream is
// complete from the start; at a receiver it grows as cuts arrive.
type Stream struct {
	ID       syncvar.ID
	Version  syncvar.Version // of the variable; the ages of cuts count back from Version
	Cuts     []Cut           // by address; at a receiver, the cuts that have arrived
	Complete bool            // Cuts holds the last cut
}

// AppendCuts appends to cuts, without a limit on their size, those from version since to version.
func (s *Space) AppendCuts(cuts []Cut, id syncvar.ID, since, version syncvar.Version) []Cut {
	return s.appendCuts(cuts, id, since, version, MaxAddr)
}

func (s *Space) appendCuts(cuts []Cut, id syncvar.ID, since, version syncvar.Version, most int) []Cut {
	s.pieces = s.appendNewer(s.pieces[:0], id, since)
	for _, p := range s.pieces {
		age := uint16(min(version-p.Version, math.MaxUint16))
		for lo := p.Lo; lo < p.Hi; lo += Addr(most) {
			cuts = append(cuts, Cut{Range{lo, min(p.Hi, lo+Addr(most))}, age})
		}
	}
	return cuts
}

// Stream returns the cuts that bring a copy from version since to version, each of at most
// slotBytes. If no bytes are newer, the stream has one empty cut.
func (s *Space) Stream(id syncvar.ID, since, version syncvar.Version, slotBytes int) *Stream {
	out := new(Stream)
	s.Fill(out, id, since, version, slotBytes)
	return out
}

// Fill sets out to the result of Stream, in the memory of its cuts.
func (s *Space) Fill(out *Stream, id syncvar.ID, since, version syncvar.Version, slotBytes int) {
	cuts := s.appendCuts(out.Cuts[:0], id, since, version, slotBytes)
	if len(cuts) == 0 { // the receiver needs a slot that ends the stream
		first := s.First(id)
		cuts = append(cuts, Cut{Range: Range{first, first}})
	}
	*out = Stream{ID: id, Version: version, Cuts: cuts, Complete: true}
}

// Follow adds c, a cut from the wire that the variable of st guards, to st. last says that c is the
// last cut. Follow fails if c cannot be the next cut; the error does not name the sender.
func (s *Space) Follow(st *Stream, c Cut, last bool) error {
	n := len(st.Cuts)
	alone := last && n == 0 // an empty cut: nothing was newer
	if st.Complete || n > 0 && c.Lo < st.Cuts[n-1].Hi || c.Len() == 0 && !alone || syncvar.Version(c.Age) > st.Version {
		return fmt.Errorf("%s of %q, %d versions old, out of order", s.Describe(c.Range), s.Name(st.ID), c.Age)
	}
	st.Cuts = append(st.Cuts, c)
	st.Complete = last
	return nil
}

// Pieces returns the cuts that have arrived, as pieces with the versions that wrote them.
func (st *Stream) Pieces() []Piece { return st.AppendPieces(make([]Piece, 0, len(st.Cuts))) }

// AppendPieces appends Pieces to ps.
func (st *Stream) AppendPieces(ps []Piece) []Piece {
	for _, c := range st.Cuts {
		if c.Len() > 0 {
			ps = append(ps, Piece{c.Range, st.Version - syncvar.Version(c.Age)})
		}
	}
	return ps
}
