package consistency

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/syncvar"
)

// Cut is a range that travels in one piece, and how many versions ago it was
// written. An age that has no room counts as the largest: to take bytes for newer
// than they are does no harm.
type Cut struct {
	Range
	Age uint16
}

// Stream is what moves of one variable from rank to rank, by address. That of
// an owner is complete from the start; that of a receiver grows as cuts arrive.
type Stream struct {
	ID       syncvar.ID
	Version  syncvar.Version // the variable's; ages count back from it
	Cuts     []Cut
	Complete bool
}

// Cuts lists what a copy of version since lacks of a variable of version, uncut.
func (s *Space) Cuts(id syncvar.ID, since, version syncvar.Version) (cuts []Cut) {
	for _, p := range s.Newer(id, since) {
		cuts = append(cuts, Cut{p.Range, uint16(min(version-p.Version, math.MaxUint16))})
	}
	return cuts
}

// Stream returns the same, cut for slots of slotBytes: at least one cut, an empty
// one if nothing is newer.
func (s *Space) Stream(id syncvar.ID, since, version syncvar.Version, slotBytes int) *Stream {
	out := &Stream{ID: id, Version: version, Complete: true}
	for _, c := range s.Cuts(id, since, version) {
		for lo := c.Lo; lo < c.Hi; {
			hi := min(c.Hi, lo+Addr(slotBytes))
			out.Cuts = append(out.Cuts, Cut{Range{lo, hi}, c.Age})
			lo = hi
		}
	}
	if len(out.Cuts) == 0 { // say at least that it ends here
		first := s.First(id)
		out.Cuts = []Cut{{Range: Range{first, first}}}
	}
	return out
}

// Follow adds the next cut from the wire to st, whose variable guards it; last
// says that none comes after it. An error, which does not name the sender, says
// that the cut is not the next one.
func (s *Space) Follow(st *Stream, c Cut, last bool) error {
	n := len(st.Cuts)
	alone := last && n == 0 // nothing was newer
	if st.Complete || n > 0 && c.Lo < st.Cuts[n-1].Hi || c.Len() == 0 && !alone || syncvar.Version(c.Age) > st.Version {
		return fmt.Errorf("%s of %q, %d versions old, out of turn", s.Describe(c.Range), s.Name(st.ID), c.Age)
	}
	st.Cuts = append(st.Cuts, c)
	st.Complete = last
	return nil
}

// Pieces is what has arrived, with the versions that wrote it.
func (st *Stream) Pieces() []Piece {
	ps := make([]Piece, 0, len(st.Cuts))
	for _, c := range st.Cuts {
		if c.Len() > 0 {
			ps = append(ps, Piece{c.Range, st.Version - syncvar.Version(c.Age)})
		}
	}
	return ps
}
