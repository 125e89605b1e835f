package consistency

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/google/btree"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Addr is a byte position in the global address space. It is below MaxAddr.
type Addr uint64

// MaxAddr bounds addresses: they have 48 bits on the wire.
const MaxAddr = 1 << 48

// PageBytes is the page of the papers: the unit of a data slot.
const PageBytes = 4096

// Range is the bytes from Lo up to but not including Hi.
type Range struct{ Lo, Hi Addr }

// Len is the number of bytes in r.
func (r Range) Len() int { return int(r.Hi - r.Lo) }

func (r Range) contains(s Range) bool { return r.Lo <= s.Lo && s.Hi <= r.Hi }

// region is memory that the program shares, at one address on every rank.
type region struct {
	Range
	name  string
	mem   []byte
	views [][]byte // the same at every rank, where this one can read it
}

// binding is a range and the variable that guards it.
type binding struct {
	Range
	id syncvar.ID
}

// Space is one rank's view of the global address space.
type Space struct {
	regions  []region               // by address
	bindings *btree.BTreeG[binding] // by address; they do not overlap
	vars     []variable             // by ID
	arrays   map[string]struct{}    // names of regions
	guards   map[string]struct{}    // names of variables
	digests  []uint64               // digests[i] covers the first i declarations
	made     []string               // the declarations in words
	one      bool                   // there is one copy for all ranks
	detector detector
}

// NewSpace returns an empty address space.
func NewSpace() *Space {
	return &Space{
		bindings: btree.NewG(16, func(a, b binding) bool { return a.Lo < b.Lo }),
		arrays:   make(map[string]struct{}),
		guards:   make(map[string]struct{}),
		digests:  []uint64{0},
		detector: detector{keep: defaultKeep},
	}
}

// OneCopy says that all ranks have the same memory: what one writes the others have, and
// nothing has to move. It is said before anything is declared.
func (s *Space) OneCopy() { s.one = true }

// IsOneCopy says whether OneCopy was called.
func (s *Space) IsOneCopy() bool { return s.one }

// addName keeps reports unambiguous: names of one kind are all different.
func addName(names map[string]struct{}, kind, name string) error {
	if name == "" {
		return fmt.Errorf("consistency: a name for the %s is missing", kind)
	}
	if _, ok := names[name]; ok {
		return fmt.Errorf("consistency: there is a %s %q already", kind, name)
	}
	names[name] = struct{}{}
	return nil
}

// AddRegion puts mem into the address space and returns its address, a multiple
// of the page size. Every rank adds the same regions in the same order; kind
// says in words what must be the same.
func (s *Space) AddRegion(name, kind string, mem []byte) (Addr, error) {
	base := Addr(PageBytes)
	if n := len(s.regions); n > 0 {
		// One unused page keeps ranges of two regions apart.
		base = (s.regions[n-1].Hi + 2*PageBytes - 1) &^ (PageBytes - 1)
	}
	if len(mem) == 0 || base+Addr(len(mem)) > MaxAddr {
		return 0, fmt.Errorf("consistency: region %q: %d bytes do not fit the address space", name, len(mem))
	}
	if err := addName(s.arrays, "region", name); err != nil {
		return 0, err
	}
	s.regions = append(s.regions, region{Range: Range{base, base + Addr(len(mem))}, name: name, mem: mem})
	s.declare(fmt.Sprintf("array %q, %s", name, kind))
	return base, nil
}

// SetViews says that this rank can read the memory of all ranks for the region at base,
// by rank.
func (s *Space) SetViews(base Addr, views [][]byte) {
	i := len(s.regions) - 1
	if i < 0 || s.regions[i].Lo != base {
		panic(fmt.Sprintf("consistency: views of a region at %#x, which is not the last", base))
	}
	s.regions[i].views = views
}

// View is the memory of r at a rank; r is not empty, lies in a region, and SetViews was
// called for that.
func (s *Space) View(rank dimmnet.Rank, r Range) []byte {
	g := s.region(r)
	return g.views[rank][r.Lo-g.Lo : r.Hi-g.Lo]
}

// Bind makes a new variable that guards ranges. They must lie in regions and
// overlap neither each other nor what another variable guards.
func (s *Space) Bind(name string, ranges []Range) (syncvar.ID, error) {
	if len(s.vars) >= syncvar.MaxID {
		return 0, fmt.Errorf("consistency: bind %q: there are %d variables already", name, len(s.vars))
	}
	if len(ranges) == 0 {
		return 0, fmt.Errorf("consistency: bind %q: no range", name)
	}
	own := inOrder(ranges)
	for i, r := range own {
		if s.Bytes(r) == nil {
			return 0, fmt.Errorf("consistency: bind %q: [%#x, %#x) is empty or outside every region", name, r.Lo, r.Hi)
		}
		if i > 0 && own[i-1].Hi > r.Lo {
			return 0, fmt.Errorf("consistency: bind %q: two of its ranges overlap at %s", name, s.Describe(r))
		}
		if b, ok := s.overlap(r); ok {
			return 0, fmt.Errorf("consistency: bind %q: %s is bound to %q", name, s.Describe(b.Range), s.vars[b.id].name)
		}
	}
	if err := addName(s.guards, "variable", name); err != nil {
		return 0, err
	}
	own = merge(own) // a piece of a variable may then span what was two ranges
	id := syncvar.ID(len(s.vars))
	for _, r := range own {
		s.bindings.ReplaceOrInsert(binding{r, id})
	}
	s.vars = append(s.vars, newVariable(name, own))
	s.declare(fmt.Sprintf("binding %q to %d ranges, the first %s", name, len(own), s.Describe(own[0])), own...)
	return id, nil
}

// inOrder returns ranges by address.
func inOrder(ranges []Range) []Range {
	return slices.SortedFunc(slices.Values(ranges), func(a, b Range) int { return cmp.Compare(a.Lo, b.Lo) })
}

// merge joins ranges, which are in order, where they touch or overlap.
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

// overlap finds a binding that shares a byte with r.
func (s *Space) overlap(r Range) (found binding, ok bool) {
	// Bindings do not overlap, so only the last one that begins before r ends
	// can reach into it.
	s.bindings.DescendLessOrEqual(binding{Range: Range{Lo: r.Hi - 1}}, func(b binding) bool {
		found, ok = b, b.Hi > r.Lo
		return false
	})
	return found, ok
}

// Guard finds the variable that guards all of r, and r's memory. An empty r is
// guarded by the variable that guards its first byte.
func (s *Space) Guard(r Range) (syncvar.ID, []byte, error) {
	probe := Range{r.Lo, max(r.Hi, r.Lo+1)}
	b, ok := s.overlap(probe)
	if !ok || r.Hi < r.Lo || !b.contains(probe) {
		return 0, nil, fmt.Errorf("consistency: no variable guards [%#x, %#x)", r.Lo, r.Hi)
	}
	return b.id, s.Bytes(probe)[:r.Len()], nil
}

// Bytes returns the memory of r, or nil if r is empty or not within a region.
func (s *Space) Bytes(r Range) []byte {
	g := s.region(r)
	if g == nil || r.Lo >= r.Hi {
		return nil
	}
	return g.mem[r.Lo-g.Lo : r.Hi-g.Lo : r.Hi-g.Lo]
}

// region finds the region that contains r, or nil.
func (s *Space) region(r Range) *region {
	i, ok := slices.BinarySearchFunc(s.regions, r.Lo, func(g region, a Addr) int { return cmp.Compare(g.Lo, a) })
	if !ok {
		i--
	}
	if i < 0 || !s.regions[i].contains(r) {
		return nil
	}
	return &s.regions[i]
}

// Describe says in words where r lies.
func (s *Space) Describe(r Range) string {
	if g := s.region(r); g != nil {
		return fmt.Sprintf("bytes %d to %d of %q", r.Lo-g.Lo, r.Hi-g.Lo, g.name)
	}
	return fmt.Sprintf("[%#x, %#x)", r.Lo, r.Hi)
}
