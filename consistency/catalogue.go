package consistency

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"

	"github.com/fagus-dsm/fagus/syncvar"
)

// Catalogue holds the declarations of ranks. Ranks make the same declarations in the same order,
// so the spaces of one process can share a catalogue. Each space has made the first declarations
// of it; others made the rest. A space that declares something else goes on with its own copy.
//
// Only one space of a catalogue may be in use at a time, as in a simulation. Name may be called at
// any time.
type Catalogue struct {
	declarations []declaration
	vars         []*variable // by ID
	bindings     bindings
	names        map[named]int // of regions and variables: the index of the declaration
	private      bool          // only one space uses it
	changed      *Catalogue    // with a declaration that changes others; see redeclare

	mu sync.Mutex // for vars in Name and Bind
}

type declaration struct {
	what   string // for errors
	digest uint64 // the digest of this declaration and all before
	vars   int    // the number of variables after it
}

// named is a name of a kind of thing.
type named struct{ kind, name string }

const (
	anArray   = "an array"
	aVariable = "a variable"
)

// variable is a sync variable and the ranges that it guards.
type variable struct {
	name   string
	ranges []Range // by address
	at     []int   // offset of each range in the twin
	bytes  int     // total length of ranges
}

func newVariable(name string, ranges []Range) *variable {
	v := &variable{name: name, ranges: ranges}
	for _, r := range ranges {
		v.at = append(v.at, v.bytes)
		v.bytes += r.Len()
	}
	return v
}

// NewCatalogue returns an empty catalogue.
func NewCatalogue() *Catalogue {
	return &Catalogue{
		bindings: newTree(),
		names:    make(map[named]int),
	}
}

// NewSpace returns an empty address space, which shares c.
func (c *Catalogue) NewSpace() *Space {
	return &Space{catalogue: c, detector: detector{keep: defaultKeep}}
}

// digest returns the digest of the first count declarations, or 0 if there are fewer.
func (c *Catalogue) digest(count int) uint64 {
	if count == 0 || count > len(c.declarations) {
		return 0
	}
	return c.declarations[count-1].digest
}

// digestOf returns the digest of a declaration and those before it. words distinguish the
// declaration from others with the same text.
func digestOf(before uint64, what string, words []uint64) uint64 {
	h := fnv.New64a()
	add := func(x uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], x)
		h.Write(b[:])
	}
	add(before)
	h.Write([]byte(what))
	for _, w := range words {
		add(w)
	}
	return h.Sum64()
}

// first returns a catalogue with the first count declarations of c, which bind v variables.
func (c *Catalogue) first(count, v int) *Catalogue {
	own := NewCatalogue()
	own.declarations = slices.Clone(c.declarations[:count])
	own.vars = slices.Clone(c.vars[:v])
	for id, v := range own.vars {
		for _, r := range v.ranges {
			own.bindings.add(binding{r, syncvar.ID(id)})
		}
	}
	for n, i := range c.names {
		if i < count {
			own.names[n] = i
		}
	}
	return own
}

// bind adds a variable.
func (c *Catalogue) bind(name string, ranges []Range) {
	for _, r := range ranges {
		c.bindings.add(binding{r, syncvar.ID(len(c.vars))})
	}
	c.vars = append(c.vars, newVariable(name, ranges))
	c.name(named{aVariable, name})
}

// rebind changes the ranges of a variable. Its old ranges must no longer be bound.
func (c *Catalogue) rebind(id syncvar.ID, ranges []Range) {
	c.vars[id] = newVariable(c.vars[id].name, ranges)
	for _, r := range ranges {
		c.bindings.add(binding{r, id})
	}
}

// declare makes the next declaration of the space. add adds it to the catalogue if it is not
// there.
func (s *Space) declare(what string, words []uint64, add func(*Catalogue)) {
	digest := digestOf(s.Digest(s.declared), what, words)
	if s.declared < len(s.catalogue.declarations) && s.catalogue.digest(s.declared+1) != digest {
		s.catalogue = s.catalogue.first(s.declared, s.bound)
		s.catalogue.private = true
	}
	c := s.catalogue
	if s.declared == len(c.declarations) {
		c.mu.Lock()
		add(c)
		c.declarations = append(c.declarations, declaration{what, digest, len(c.vars)})
		c.mu.Unlock()
	}
	s.adopt()
}

// redeclare is declare for a declaration that changes earlier ones of other spaces.
func (s *Space) redeclare(what string, words []uint64, change func(*Catalogue)) {
	if c := s.catalogue; !c.private {
		digest := digestOf(s.Digest(s.declared), what, words)
		if next := c.changed; next == nil || next.digest(s.declared) != s.Digest(s.declared) || next.digest(s.declared+1) != digest {
			c.changed = c.first(s.declared, s.bound)
		}
		s.catalogue = c.changed
	}
	s.declare(what, words, change)
}

// adopt makes the next declaration of the catalogue the space's own.
func (s *Space) adopt() {
	s.bound = s.catalogue.declarations[s.declared].vars
	s.declared++
	for len(s.copies)*copiesPage < s.bound {
		s.copies = append(s.copies, nil)
	}
}

// binds reports whether the next declaration of the catalogue binds a variable of this name to
// these ranges, which are by address and merged.
func (s *Space) binds(name string, ranges []Range) bool {
	c := s.catalogue
	if s.declared == len(c.declarations) || c.declarations[s.declared].vars == s.bound {
		return false
	}
	v := c.vars[s.bound]
	return v.name == name && slices.Equal(v.ranges, ranges)
}

// checkName returns an error if the next declaration must not use the name. Names of the same kind
// must differ, because reports use them.
func (s *Space) checkName(n named) error {
	if n.name == "" {
		return fmt.Errorf("consistency: %s needs a name", n.kind)
	}
	if i, ok := s.catalogue.names[n]; ok && i < s.declared {
		return fmt.Errorf("consistency: there is %s %q already", n.kind, n.name)
	}
	return nil
}

// name adds a name to the catalogue. The caller adds the declaration that declares it.
func (c *Catalogue) name(n named) { c.names[n] = len(c.declarations) }
