package consistency

import (
	"fmt"

	"github.com/fagus-dsm/fagus/syncvar"
)

// variable is what one rank knows of a sync variable: what it guards, and which
// versions wrote what of the rank's copy.
type variable struct {
	name     string
	ranges   []Range // by address
	stamps   stamps
	twin     []byte  // of all ranges, one after the other; reused
	declared []Range // what the tenure said it would write
	writing  bool
}

// Name is the name that a variable was bound by, or its number if this rank
// has not bound it yet.
func (s *Space) Name(id syncvar.ID) string {
	if s.Bound(id) {
		return s.vars[id].name
	}
	return fmt.Sprintf("variable %d", id)
}

// Bound says whether this rank has bound a variable.
func (s *Space) Bound(id syncvar.ID) bool { return int(id) < len(s.vars) }

// Extent says how many bytes a variable guards, and how many pieces Newer can
// list at most. It is the same on every rank that has bound the variable.
func (s *Space) Extent(id syncvar.ID) (bytes, pieces int) {
	for _, r := range s.vars[id].ranges {
		bytes += r.Len()
		pieces += (r.Len()-1)/(diffBlock+1) + 1 // a byte each, and a block between two
	}
	return bytes, pieces
}

// First is the first address that a variable guards.
func (s *Space) First(id syncvar.ID) Addr { return s.vars[id].ranges[0].Lo }

// Ranges are what a variable guards, by address. They are the Space's own.
func (s *Space) Ranges(id syncvar.ID) []Range { return s.vars[id].ranges }

// GuardOf is the variable that guards the byte at a; ok is false if none does.
func (s *Space) GuardOf(a Addr) (id syncvar.ID, ok bool) {
	b, ok := s.overlap(Range{a, a + 1})
	return b.id, ok
}

// Declare checks that the variable guards all of ranges and returns them by
// address, merged where they touch or overlap; never nil.
func (s *Space) Declare(id syncvar.ID, ranges []Range) ([]Range, error) {
	sorted := inOrder(ranges)
	for _, r := range sorted {
		if guard, _, err := s.Guard(r); err != nil || guard != id || r.Lo == r.Hi {
			return nil, fmt.Errorf("consistency: %q does not guard %s", s.Name(id), s.Describe(r))
		}
	}
	return merge(sorted), nil
}

// BeginWrite prepares an exclusive tenure: it remembers declared, which Declare
// returned for what the program will write, or if that is nil the present
// content.
func (s *Space) BeginWrite(id syncvar.ID, declared []Range) {
	v := &s.vars[id]
	if v.writing {
		panic(fmt.Sprintf("consistency: two exclusive tenures of %q at once", v.name))
	}
	v.writing = true
	v.declared = declared
	v.twin = v.twin[:0]
	if declared == nil && !s.one {
		for _, r := range v.ranges {
			v.twin = append(v.twin, s.Bytes(r)...)
		}
	}
}

// EndWrite ends the tenure, which made version. It says whether anything
// changed.
func (s *Space) EndWrite(id syncvar.ID, version syncvar.Version) (changed bool) {
	v := &s.vars[id]
	if !v.writing {
		panic(fmt.Sprintf("consistency: no exclusive tenure of %q to end", v.name))
	}
	v.writing = false
	if s.one {
		return true // what it was is not known, and nobody needs it
	}
	written := v.declared
	if v.declared == nil {
		twin := v.twin
		for _, r := range v.ranges {
			written = appendDiff(written, r.Lo, s.Bytes(r), twin[:r.Len()])
			twin = twin[r.Len():]
		}
	}
	pieces := make([]Piece, len(written))
	for i, r := range written {
		pieces[i] = Piece{r, version}
	}
	v.stamps = v.stamps.overwrite(pieces)
	return len(pieces) > 0
}

// Newer lists what a copy of version since lacks, by address. Pieces of one
// range with less than a block between them come as one, of the newer version:
// sending what lies between is cheaper than another header, and to take bytes
// for newer than they are does no harm.
func (s *Space) Newer(id syncvar.ID, since syncvar.Version) []Piece {
	v := &s.vars[id]
	ranges := v.ranges
	var out []Piece
	for _, p := range v.stamps.newer(since) {
		for !ranges[0].contains(p.Range) {
			ranges = ranges[1:]
		}
		if n := len(out); n > 0 && out[n-1].Lo >= ranges[0].Lo && p.Lo-out[n-1].Hi < diffBlock {
			out[n-1].Hi = p.Hi
			out[n-1].Version = max(out[n-1].Version, p.Version)
		} else {
			out = append(out, p)
		}
	}
	return out
}

// Accept records that pieces have arrived from another rank. A variable that
// is being written accepts nothing: that would be a second tenure.
func (s *Space) Accept(id syncvar.ID, pieces []Piece) {
	v := &s.vars[id]
	if v.writing {
		panic(fmt.Sprintf("consistency: data for %q arrived during its exclusive tenure", v.name))
	}
	v.stamps = v.stamps.overwrite(pieces)
}
