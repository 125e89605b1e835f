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
	at       []int   // where each range begins if they are put one after the other
	bytes    int     // of all ranges
	stamps   stamps
	twin     twin
	way      Detection // of the tenure
	copied   int       // bytes to the twin when the tenure began
	share    float64   // of the pages, how much was written in and before recent tenures, 0 to 1; at first 1
	declared []Range   // what the tenure said it would write
	told     []Range   // what it has said since, in any order; reused
	writing  bool
}

func newVariable(name string, ranges []Range) variable {
	v := variable{name: name, ranges: ranges, share: 1}
	for _, r := range ranges {
		v.at = append(v.at, v.bytes)
		v.bytes += r.Len()
	}
	return v
}

// written records that the tenure has written to pages of n bytes. What others wrote
// before it counts as well: to put it into its place costs a fault a page where pages are
// watched. One half of what is remembered is the last tenure's.
func (v *variable) written(n int) {
	v.share = (v.share + min(float64(n+v.copied)/float64(v.bytes), 1)) / 2
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
		pieces += (r.Len()-1)/(diffBlock+1) + 1 // a byte each, and a block between two
	}
	return s.vars[id].bytes, pieces
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
// returned for what the program will write, or if that is nil what is needed to find it
// (see Detect). The tenures of a set all begin before the program writes to any of it,
// since the first to write to a page may be forgotten when another tenure on it begins.
func (s *Space) BeginWrite(id syncvar.ID, declared []Range) {
	v := &s.vars[id]
	if v.writing {
		panic(fmt.Sprintf("consistency: two exclusive tenures of %q at once", v.name))
	}
	v.writing = true
	v.declared = declared
	if s.one {
		return
	}
	v.way = s.detector.way(v)
	if v.way == DetectKernel && !s.forget(v) {
		v.way = DetectKept
	}
	if v.way != DetectDeclared {
		v.copied = s.beginTwin(v)
	}
}

// Tell adds what the holder says that it has written to what BeginWrite was told, which was not nil. The
// variable guards all of r, which is not empty.
func (s *Space) Tell(id syncvar.ID, r Range) {
	v := &s.vars[id]
	if !v.writing || v.declared == nil {
		panic(fmt.Sprintf("consistency: no exclusive tenure of %q that declares what it writes", v.name))
	}
	if n := len(v.told); n > 0 && v.told[n-1].Lo <= r.Lo && r.Lo <= v.told[n-1].Hi {
		v.told[n-1].Hi = max(v.told[n-1].Hi, r.Hi) // it goes on
		return
	}
	if len(v.told) == cap(v.told) && len(v.told) >= mostTold {
		v.told = merge(inOrder(v.told)) // what is told again and again takes no more room
	}
	v.told = append(v.told, r)
}

// mostTold is how many ranges are kept as they were told.
const mostTold = 1024

// EndWrite ends the tenure, which made version. It says whether anything
// changed.
func (s *Space) EndWrite(id syncvar.ID, version syncvar.Version) (changed bool) {
	v := &s.vars[id]
	if !v.writing {
		panic(fmt.Sprintf("consistency: no exclusive tenure of %q to end", v.name))
	}
	v.writing = false
	if s.one {
		v.told = v.told[:0]
		return true // what it was is not known, and nobody needs it
	}
	var written []Range
	switch {
	case v.way != DetectDeclared:
		written = s.compare(v)
	case len(v.told) > 0:
		written = merge(inOrder(append(v.told, v.declared...)))
		v.told = v.told[:0]
	case v.declared != nil:
		written = v.declared
	default:
		written = v.ranges
	}
	pieces := make([]Piece, len(written))
	for i, r := range written {
		pieces[i] = Piece{r, version}
	}
	if v.way == DetectDeclared {
		v.accepted(pieces) // the twin does not have them
	}
	s.detector.count(v.way)
	s.endTwin(v)
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
	v.accepted(pieces)
	v.stamps = v.stamps.overwrite(pieces)
}
