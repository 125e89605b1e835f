package consistency

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Addr is the address of a byte in the global address space, below MaxAddr.
type Addr uint64

// MaxAddr bounds addresses, which have 48 bits on the wire.
const MaxAddr = 1 << 48

// PageBytes is the size of a page: the largest data slot.
const PageBytes = 4096

// Range is the bytes from Lo up to, but not including, Hi.
type Range struct{ Lo, Hi Addr }

// Len returns the number of bytes in r.
func (r Range) Len() int              { return int(r.Hi - r.Lo) }
func (r Range) contains(s Range) bool { return r.Lo <= s.Lo && s.Hi <= r.Hi }

type region struct {
	Range
	name  string
	kind  string
	size  int // bytes of an element
	mem   []byte
	views [][]byte // by rank: the region's memory at that rank; nil without SetViews
}

// Space is one rank's view of the global address space.
type Space struct {
	catalogue *Catalogue
	declared  int                      // the number of declarations that this rank has made
	bound     int                      // the number of variables that they bind
	regions   []region                 // by address
	copies    []*[copiesPage]copyState // by ID, copiesPage to each; nil: none is used yet
	oneCopy   bool                     // all ranks use the same memory
	pieces    []Piece                  // reused by AppendCuts
	detector  detector
	arrivals  arrivals
}

// NewSpace returns an empty address space that shares nothing.
func NewSpace() *Space {
	c := NewCatalogue()
	c.private = true
	return c.NewSpace()
}

// OneCopy declares that all ranks use the same memory, so that no data move. It must be called
// before anything is declared.
func (s *Space) OneCopy() { s.oneCopy = true }

// IsOneCopy reports whether OneCopy was called.
func (s *Space) IsOneCopy() bool { return s.oneCopy }

// AddRegion adds mem, an array of elements of size bytes, to the address space and returns its
// address, a multiple of the page size. Every rank must add the same regions in the same order.
// kind is the array's type and length.
func (s *Space) AddRegion(name, kind string, size int, mem []byte) (Addr, error) {
	base := Addr(PageBytes)
	if n := len(s.regions); n > 0 {
		// At least one unused page separates regions.
		base = (s.regions[n-1].Hi + 2*PageBytes - 1) &^ (PageBytes - 1)
	}
	if len(mem) == 0 || base+Addr(len(mem)) > MaxAddr {
		return 0, fmt.Errorf("consistency: region %q: %d bytes do not fit the address space", name, len(mem))
	}
	array := named{anArray, name}
	if err := s.checkName(array); err != nil {
		return 0, err
	}
	s.regions = append(s.regions, region{Range: Range{base, base + Addr(len(mem))}, name: name, kind: kind, size: size, mem: mem})
	s.declare(fmt.Sprintf("array %q, %s", name, kind), nil, func(c *Catalogue) { c.name(array) })
	return base, nil
}

// SetViews sets views[r] as the memory at rank r of the last region, which begins at base.
func (s *Space) SetViews(base Addr, views [][]byte) {
	i := len(s.regions) - 1
	if i < 0 || s.regions[i].Lo != base {
		panic(fmt.Sprintf("consistency: SetViews at %#x: the last region does not begin there", base))
	}
	s.regions[i].views = views
}

// View returns the memory of r at a rank. r must not be empty, and must lie in a region for which
// SetViews was called.
func (s *Space) View(rank dimmnet.Rank, r Range) []byte {
	g := s.region(r)
	return g.views[rank][r.Lo-g.Lo : r.Hi-g.Lo]
}

// Bind makes a new variable that guards ranges. They must lie in regions, and must overlap neither
// each other nor a range of another variable.
func (s *Space) Bind(name string, ranges []Range) (syncvar.ID, error) {
	if s.bound >= syncvar.MaxID {
		return 0, fmt.Errorf("consistency: bind %q: there are %d variables already", name, s.bound)
	}
	if len(ranges) == 0 {
		return 0, fmt.Errorf("consistency: bind %q: no range", name)
	}
	id, own := syncvar.ID(s.bound), inOrder(ranges)
	if s.binds(name, own) {
		s.adopt()
		return id, nil
	}
	for i, r := range own {
		if s.Bytes(r) == nil {
			return 0, fmt.Errorf("consistency: bind %q: [%#x, %#x) is empty or outside every region", name, r.Lo, r.Hi)
		}
		if i > 0 && own[i-1].Hi > r.Lo {
			return 0, fmt.Errorf("consistency: bind %q: two of its ranges overlap at %s", name, s.Describe(r))
		}
		if b, ok := s.overlap(r); ok {
			return 0, fmt.Errorf("consistency: bind %q: %s overlaps %s, which is bound to %q", name, s.Describe(r), s.Describe(b.Range), s.Name(b.id))
		}
	}
	if err := s.checkName(named{aVariable, name}); err != nil {
		return 0, err
	}
	own = merge(own) // a piece may span two ranges that touch
	what := fmt.Sprintf("binding %q to %d ranges, the first %s", name, len(own), s.Describe(own[0]))
	s.declare(what, wordsOf(own), func(c *Catalogue) { c.bind(name, own) })
	return id, nil
}

func inOrder(ranges []Range) []Range {
	return slices.SortedFunc(slices.Values(ranges), func(a, b Range) int { return cmp.Compare(a.Lo, b.Lo) })
}

func merge(ranges []Range) []Range {
	merged := make([]Range, 0, len(ranges))
	for _, r := range ranges {
		if n := len(merged); n > 0 && merged[n-1].Hi >= r.Lo {
			merged[n-1].Hi = max(merged[n-1].Hi, r.Hi)
		} else {
			merged = append(merged, r)
		}
	}
	return merged
}

func (s *Space) overlap(r Range) (found binding, ok bool) {
	return s.catalogue.bindings.overlap(r, s.bound)
}

// Guard returns the variable that guards all of r, and the memory of r. If r is empty, Guard
// returns the variable that guards the byte at r.Lo.
func (s *Space) Guard(r Range) (syncvar.ID, []byte, error) {
	probe := Range{r.Lo, max(r.Hi, r.Lo+1)}
	b, ok := s.overlap(probe)
	if !ok || r.Hi < r.Lo || !b.contains(probe) {
		return 0, nil, fmt.Errorf("consistency: no variable guards [%#x, %#x)", r.Lo, r.Hi)
	}
	return b.id, s.Bytes(probe)[:r.Len()], nil
}

// Bytes returns the memory of r, or nil if r is empty or not in one region.
func (s *Space) Bytes(r Range) []byte {
	g := s.region(r)
	if g == nil || r.Lo >= r.Hi {
		return nil
	}
	return g.mem[r.Lo-g.Lo : r.Hi-g.Lo : r.Hi-g.Lo]
}

// fewRegions is the number of regions up to which looking at all takes less time than a search.
const fewRegions = 8

func (s *Space) region(r Range) *region {
	if len(s.regions) <= fewRegions {
		for i := range s.regions {
			if g := &s.regions[i]; g.contains(r) {
				return g
			}
		}
		return nil
	}
	i, ok := slices.BinarySearchFunc(s.regions, r.Lo, func(g region, a Addr) int { return cmp.Compare(g.Lo, a) })
	if !ok {
		i--
	}
	if i < 0 || !s.regions[i].contains(r) {
		return nil
	}
	return &s.regions[i]
}

// Regions yields the regions in the order of AddRegion.
func (s *Space) Regions(yield func(Region) bool) {
	for _, g := range s.regions {
		if !yield(Region{g.Range, g.name, g.kind, g.size}) {
			return
		}
	}
}

// Region describes a region: an array.
type Region struct {
	Range
	Name, Kind string // as passed to AddRegion
	Element    int    // bytes of an element
}

// Locate returns which region contains r, in the order of AddRegion, and the offset of r in it.
func (s *Space) Locate(r Range) (number, offset int) {
	i, _ := slices.BinarySearchFunc(s.regions, r.Lo, func(g region, a Addr) int { return cmp.Compare(g.Hi-1, a) })
	return i, int(r.Lo - s.regions[i].Lo)
}

// Unguarded returns the names of the regions without any guarded byte.
func (s *Space) Unguarded() (names []string) {
	for _, g := range s.regions {
		if _, guarded := s.overlap(g.Range); !guarded {
			names = append(names, g.name)
		}
	}
	return names
}

// Describe describes r for a report, as the slice of its region's elements that contains r.
func (s *Space) Describe(r Range) string {
	if g := s.region(r); g != nil {
		size := Addr(g.size)
		return fmt.Sprintf("%s[%d:%d]", g.name, (r.Lo-g.Lo)/size, (r.Hi-g.Lo+size-1)/size)
	}
	return fmt.Sprintf("[%#x, %#x)", r.Lo, r.Hi)
}
