package region

import (
	"cmp"
	"fmt"
	"math/bits"
	"path"
	"slices"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
)

// Bounds of what a node keeps between calls.
const (
	mostPlans  = 128      // plans in use at different times
	mostBytes  = 64 << 20 // of blocks that no call uses; more only if a call needs more at once
	mostStates = 4 * mostPlans
	mostCalls  = 1 << 10 // calls of which the texts are kept, for errors
	// Where plans divide a block in too many different ways, it is divided anew for one of them,
	// and the others must divide it again.
	mostAtoms   = 1 << 8  // of a block that calls take
	mostStaying = 1 << 12 // of a resident array
)

// store is what the programs of a node share: memory, variables and plans. Fagus frees neither
// arrays nor variables before the end of the run, so the store uses them again. All ranks make the
// same calls, and take the same decisions.
type store struct {
	node   *fagus.Node
	blocks []*block
	plans  map[string]*known
	names  map[string]bool // of functions of which there was a plan
	states map[string]*state
	calls  calls
	clock  int // counts uses of blocks and plans

	common   *common // nil unless ranks compute in place
	asked    int     // number of arrays that this rank has asked common for
	dynamic  int     // number of dynamic steps
	meetings int     // number of calls in which the ranks have met in common

	done Statistics

	meeting  float64 // time of a Barrier in ns; 0: not measured
	together bool    // see Together

	relays map[string]*relayBuffer // by their divisions

	seats *fagus.Array[uint64] // see seat
	seat  int                  // number of used elements of seats
	idle  []*atom              // without elements
	bound int                  // number of variables
}

// Statistics says what a node's calls of generated functions have done so far.
type Statistics struct {
	Calls    int        // also of [Resident]
	Alone    int        // of these: run on rank 0 alone
	Planning fagus.Time // for making plans, before the input is copied; 0 in virtual time
}

// StatisticsOf returns the statistics of a node. Only Planning differs between ranks.
func StatisticsOf(n *fagus.Node) Statistics {
	s := storeOf(n)
	s.done.Calls = s.calls.count
	return s.done
}

// storeKey is the key of a node's store.
type storeKey struct{}

// storeOf returns the store of a node.
func storeOf(n *fagus.Node) *store {
	return n.Attached(storeKey{}, func() any {
		return &store{node: n, plans: make(map[string]*known), names: make(map[string]bool), states: make(map[string]*state), relays: make(map[string]*relayBuffer), common: commonOf(n)}
	}).(*store)
}

// block is the memory of one array, which a call takes and gives back, or of a resident array.
type block struct {
	array  *fagus.Array[byte]
	memory any     // a resident array in place: its slice, so that no other gets the addresses
	base   uintptr // its address
	end    uintptr // the address behind it
	number int
	atoms  []*atom
	epoch  int   // counts the changes of atoms
	most   int   // with more atoms than this, a block is divided anew
	place  place // what used the block last
	used   bool  // by a call, or by a resident array
	last   int   // time of the last use
	dirty  bool  // the elements may differ from 0
	// stays is the validity of the elements of a resident array; nil for others.
	stays  *state
	length int // elements of a resident array
	size   int // bytes of an element of a resident array
}

// place is a parameter of a function.
type place struct {
	function string
	number   int
}

// state returns the state of a validity.
func (s *store) state(v validity, exact bool) *state {
	key := fmt.Sprint(exact) + v.key()
	if s.states[key] == nil {
		if len(s.states) == mostStates {
			clear(s.states) // plans for states with the former numbers are not found any more
		}
		s.states[key] = &state{v, exact, s.tick()}
	}
	return s.states[key]
}

func (s *store) tick() int {
	s.clock++
	return s.clock
}

func (p place) String() string {
	return fmt.Sprintf("parameter %d of %s", p.number, path.Base(p.function))
}

// take returns a block of at least so many bytes. A place gets the same block again if it can.
func (s *store) take(at place, bytes int) (*block, error) {
	bytes = max(bytes, 1)
	var found *block
	free := 0
	for _, b := range s.blocks {
		if b.used {
			continue
		}
		free += b.array.Len()
		switch {
		case b.array.Len() < bytes:
		case b.place == at && b.array.Len() <= rounded(bytes):
			found = b
		case found == nil || found.place != at && (b.array.Len() < found.array.Len() || b.array.Len() == found.array.Len() && b.last < found.last):
			found = b
		}
	}
	if found == nil || found.place != at && free+bytes <= mostBytes {
		a, err := fagus.NewArray[byte](s.node, fmt.Sprintf("block %d of region, for %s", len(s.blocks), at), rounded(bytes))
		if err != nil {
			return nil, err
		}
		base := uintptr(unsafe.Pointer(unsafe.SliceData(a.Slice())))
		found = &block{array: a, base: base, end: base + uintptr(a.Len()), number: len(s.blocks)}
		s.blocks = append(s.blocks, found)
	}
	if found.place != at {
		found.place, found.most = at, 0
	}
	found.used, found.last = true, s.tick()
	return found, nil
}

// rounded returns the size of a block for so many bytes: few sizes serve all calls.
func rounded(bytes int) int {
	const least = 4096
	step := max(least, 1<<bits.Len(uint(bytes))/8) // at most 1/4 more
	return (bytes + step - 1) / step * step
}

// give returns a block that a call has used.
func (s *store) give(b *block) {
	if b.stays == nil {
		b.used, b.dirty = false, true
	}
}

// atom is a variable with the elements that it guards in one block. In each block the atoms are
// disjoint: at most one variable guards a byte. Plans that divide an array in different ways use
// several atoms for a group.
type atom struct {
	v *fagus.SyncVar
	// seat is an element that the variable always guards, because it must guard something.
	seat fagus.Range
	of   []Interval // bytes of the block
}

// atom returns an atom without elements. A new one guards more, if that is given.
func (s *store) atom(more ...fagus.Range) (*atom, error) {
	if n := len(s.idle); n > 0 && len(more) == 0 {
		a := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return a, nil
	}
	if s.seats == nil || s.seat == s.seats.Len() {
		var err error
		if s.seats, err = fagus.NewArray[uint64](s.node, fmt.Sprintf("region seats (%d)", s.node.Arrays()), 1<<9); err != nil {
			return nil, err
		}
		s.seat = 0
	}
	a := &atom{seat: s.seats.Range(s.seat, s.seat+1)}
	var err error
	if a.v, err = s.node.Bind(fmt.Sprintf("%s, variable %d", s.calls.last(), s.bound), append(more, a.seat)...); err != nil {
		return nil, err
	}
	s.seat++
	s.bound++
	return a, nil
}

// ranges returns the ranges of an atom's elements.
func (a *atom) ranges(b *block) (all []fagus.Range) {
	for _, in := range a.of {
		all = append(all, b.array.Range(in.Lo, in.Hi))
	}
	return all
}

// binding returns the binding of an atom to its elements.
func (a *atom) binding(b *block) fagus.Binding { return a.v.To(append(a.ranges(b), a.seat)...) }

// owned is an interval that belongs to an atom or group with this number; -1: to none.
type owned struct {
	Interval
	of int
}

// flat returns the intervals of several lists, which are disjoint, in order.
func flat(lists [][]Interval) (all []owned) {
	for i, list := range lists {
		for _, in := range list {
			all = append(all, owned{in, i})
		}
	}
	slices.SortFunc(all, func(a, b owned) int { return cmp.Compare(a.Lo, b.Lo) })
	return all
}

// overlaid is the part of the elements of an atom that belongs to a group, or to none: -1.
type overlaid struct {
	atom, group int
	of          []Interval
	bytes       int
}

// overlay cuts atoms and groups, both flat, at each other's ends. The parts are in the order of
// their atoms, and of their first elements.
func overlay(atoms, groups []owned) (parts []*overlaid) {
	known := make(map[[2]int]*overlaid)
	for len(atoms) > 0 || len(groups) > 0 {
		a, g := -1, -1
		var lo int
		switch {
		case len(groups) == 0 || len(atoms) > 0 && atoms[0].Lo < groups[0].Lo:
			lo = atoms[0].Lo
		default:
			lo = groups[0].Lo
		}
		hi := int(^uint(0) >> 1)
		next := func(list []owned, of *int) {
			if len(list) > 0 && list[0].Lo <= lo {
				*of, hi = list[0].of, min(hi, list[0].Hi)
			} else if len(list) > 0 {
				hi = min(hi, list[0].Lo)
			}
		}
		next(atoms, &a)
		next(groups, &g)
		p := known[[2]int{a, g}]
		if p == nil {
			p = &overlaid{atom: a, group: g}
			known[[2]int{a, g}], parts = p, append(parts, p)
		}
		p.of = append(p.of, Interval{lo, hi})
		p.bytes += hi - lo
		atoms, groups = after(atoms, hi), after(groups, hi)
	}
	for _, p := range parts {
		p.of = merged(p.of)
	}
	slices.SortStableFunc(parts, func(a, b *overlaid) int { return cmp.Compare(a.atom, b.atom) })
	return parts
}

// after returns list without the elements below hi.
func after(list []owned, hi int) []owned {
	switch {
	case len(list) == 0 || list[0].Lo >= hi:
		return list
	case list[0].Hi <= hi:
		return list[1:]
	}
	list[0].Lo = hi // the caller has made the list
	return list
}
