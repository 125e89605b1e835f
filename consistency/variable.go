package consistency

import (
	"fmt"
	"iter"

	"github.com/fagus-dsm/fagus/syncvar"
)

// copyState is what one rank knows of its copy of a variable: which versions wrote which bytes.
type copyState struct {
	*variable
	stamps    stamps
	twin      twin
	detection Detection // the method of the present tenure
	copied    int       // bytes copied to the twin when the tenure began
	share     float64   // running mean of the share of pages written, 0 to 1; at first 1
	declared  []Range   // the ranges that BeginWrite declared; nil if it declared none
	added     []Range   // the ranges declared by Wrote since, in any order; reused
	writing   bool      // an exclusive tenure is under way
}

// copiesPage is the number of variables whose states are allocated together, on first use.
const copiesPage = 16

// copyOf returns the state of this rank's copy of a variable.
func (s *Space) copyOf(id syncvar.ID) *copyState {
	page := s.copies[id/copiesPage]
	if page == nil {
		page = new([copiesPage]copyState)
		s.copies[id/copiesPage] = page
	}
	v := &page[id%copiesPage]
	if v.variable == nil {
		v.variable, v.share = s.catalogue.vars[id], 1
	}
	return v
}

// written updates share after a tenure that has written to pages of n bytes in total. Bytes that
// other ranks wrote before the tenure count too: if the kernel watches pages, copying these bytes
// to memory costs one fault per page. The last tenure has a weight of one half.
func (v *copyState) written(n int) {
	v.share = (v.share + min(float64(n+v.copied)/float64(v.bytes), 1)) / 2
}

// Name returns the name of a variable, or its number if this rank has not bound it yet.
func (s *Space) Name(id syncvar.ID) string {
	if c := s.catalogue; s.Bound(id) {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.vars[id].name
	}
	return fmt.Sprintf("variable %d", id)
}

// Bound reports whether this rank has bound a variable.
func (s *Space) Bound(id syncvar.ID) bool { return int(id) < s.bound }

// Extent returns how many bytes a variable guards, and how many pieces Newer can return at most.
// Both are the same on every rank that has bound the variable.
func (s *Space) Extent(id syncvar.ID) (bytes, pieces int) {
	for _, r := range s.Ranges(id) {
		pieces += (r.Len()-1)/(diffBlock+1) + 1 // at worst, pieces of one byte, a block apart
	}
	return s.catalogue.vars[id].bytes, pieces
}

// First returns the first address that a variable guards.
func (s *Space) First(id syncvar.ID) Addr { return s.Ranges(id)[0].Lo }

// Ranges returns the ranges that a variable guards, by address. The caller must not change them.
func (s *Space) Ranges(id syncvar.ID) []Range { return s.catalogue.vars[id].ranges }

// GuardOf returns the variable that guards the byte at a; ok is false if there is none.
func (s *Space) GuardOf(a Addr) (id syncvar.ID, ok bool) {
	b, ok := s.overlap(Range{a, a + 1})
	return b.id, ok
}

// Declare checks that the variable guards all of ranges. It returns ranges sorted by address, and
// merged if they touch or overlap. The result is never nil.
func (s *Space) Declare(id syncvar.ID, ranges []Range) ([]Range, error) {
	sorted := inOrder(ranges)
	for _, r := range sorted {
		if guard, _, err := s.Guard(r); err != nil || guard != id || r.Lo == r.Hi {
			return nil, fmt.Errorf("consistency: %q does not guard %s", s.Name(id), s.Describe(r))
		}
	}
	return merge(sorted), nil
}

// BeginWrite begins an exclusive tenure. declared is the result of Declare for the ranges that the
// program will write. If declared is nil, the Space finds the writes itself (see Detect). All
// tenures of an Acquire must begin before the program writes to any of their variables: if the
// kernel watches pages, BeginWrite discards the record of the variable's pages.
func (s *Space) BeginWrite(id syncvar.ID, declared []Range) {
	v := s.copyOf(id)
	if v.writing {
		panic(fmt.Sprintf("consistency: two exclusive tenures of %q at once", v.name))
	}
	v.writing = true
	v.declared = declared
	if s.oneCopy {
		return
	}
	v.detection = s.detector.choose(v)
	if v.detection == DetectKernel && !s.track(v) {
		v.detection = DetectKept
	}
	if v.detection != DetectDeclared {
		v.copied = s.beginTwin(v)
		s.detector.copied += v.copied
	}
}

// Wrote declares that the tenure wrote r, in addition to the ranges declared in BeginWrite, which
// must not be nil. r must not be empty, and the variable must guard all of r.
func (s *Space) Wrote(id syncvar.ID, r Range) {
	v := s.copyOf(id)
	if !v.writing || v.declared == nil {
		panic(fmt.Sprintf("consistency: no exclusive tenure of %q that declares what it writes", v.name))
	}
	if n := len(v.added); n > 0 && v.added[n-1].Lo <= r.Lo && r.Lo <= v.added[n-1].Hi {
		v.added[n-1].Hi = max(v.added[n-1].Hi, r.Hi) // r extends the last range
		return
	}
	if len(v.added) == cap(v.added) && len(v.added) >= maxAdded {
		v.added = merge(inOrder(v.added)) // repeated ranges take no more memory
	}
	v.added = append(v.added, r)
}

// maxAdded is the number of added ranges at which Wrote merges them.
const maxAdded = 1024

// EndWrite ends the exclusive tenure that made version. It reports whether any byte changed.
func (s *Space) EndWrite(id syncvar.ID, version syncvar.Version) (changed bool) {
	v := s.copyOf(id)
	if !v.writing {
		panic(fmt.Sprintf("consistency: no exclusive tenure of %q to end", v.name))
	}
	v.writing = false
	if s.oneCopy {
		v.added = v.added[:0]
		return true // as no data move, the changed bytes do not matter
	}
	var written []Range
	switch {
	case v.detection != DetectDeclared:
		written = s.compare(v)
	case len(v.added) > 0:
		written = merge(inOrder(append(v.added, v.declared...)))
		v.added = v.added[:0]
	case v.declared != nil:
		written = v.declared
	default:
		written = v.ranges
	}
	pieces := s.detector.pieces[:0]
	for _, r := range written {
		pieces = append(pieces, Piece{r, version})
	}
	s.detector.pieces = pieces
	if v.detection == DetectDeclared {
		v.accepted(pieces)
	}
	s.detector.count(v.detection)
	s.endTwin(v)
	v.stamps = v.stamps.overwrite(pieces)
	return len(pieces) > 0
}

// EndUnchanged is EndWrite for a tenure whose program says that it has written nothing. It does not
// believe that where it compares.
func (s *Space) EndUnchanged(id syncvar.ID, version syncvar.Version) (changed bool) {
	v := s.copyOf(id)
	if !s.oneCopy && v.detection != DetectDeclared {
		return s.EndWrite(id, version)
	}
	v.writing, v.added = false, v.added[:0]
	return false
}

// Written iterates, by address, over the ranges that the tenure of a version wrote and no later
// tenure overwrote.
func (s *Space) Written(id syncvar.ID, version syncvar.Version) iter.Seq[Range] {
	return func(yield func(Range) bool) {
		for _, p := range s.copyOf(id).stamps {
			if p.Version == version && !yield(p.Range) {
				return
			}
		}
	}
}

// Newer returns, by address, the pieces that a copy of version since lacks. It joins pieces of one
// range that are less than a block apart, and gives the joined piece the newer of both versions.
// Sending the bytes between is cheaper than another header, and a newer version does no harm.
func (s *Space) Newer(id syncvar.ID, since syncvar.Version) []Piece {
	return s.appendNewer(nil, id, since)
}

func (s *Space) appendNewer(out []Piece, id syncvar.ID, since syncvar.Version) []Piece {
	v := s.copyOf(id)
	ranges, begun := v.ranges, len(out)
	for _, p := range v.stamps {
		if p.Version <= since {
			continue
		}
		for !ranges[0].contains(p.Range) {
			ranges = ranges[1:]
		}
		if n := len(out); n > begun && out[n-1].Lo >= ranges[0].Lo && p.Lo-out[n-1].Hi < diffBlock {
			out[n-1].Hi = p.Hi
			out[n-1].Version = max(out[n-1].Version, p.Version)
		} else {
			out = append(out, p)
		}
	}
	return out
}

// Accept records that pieces arrived from another rank. It panics during an exclusive tenure of
// the variable.
func (s *Space) Accept(id syncvar.ID, pieces []Piece) {
	v := s.copyOf(id)
	if v.writing {
		panic(fmt.Sprintf("consistency: data for %q arrived during its exclusive tenure", v.name))
	}
	if s.arrivals.logged {
		s.arrivals.log(id, pieces)
	}
	v.accepted(pieces)
	v.stamps = v.stamps.overwrite(pieces)
}
