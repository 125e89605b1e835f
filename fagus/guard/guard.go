package guard

import (
	"slices"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/fagus/source"
	"github.com/fagus-dsm/fagus/syncvar"
)

// hold says why a variable's bytes are accessible.
type hold uint8

const (
	none hold = iota
	updated
	shared
	exclusive
)

// variable is what a Guard knows of a sync variable.
type variable struct {
	hold     hold
	had      bool                // acquired before: Update brings it
	writes   []consistency.Range // what the holder may change; empty if it is not exclusive
	version  syncvar.Version     // of this rank's copy
	fresh    []consistency.Range // has arrived, each within a page, and was not touched when last looked
	released []uintptr           // the stack of its last Release
	Tally
}

// Guard watches one rank. It belongs to the goroutine of the rank.
type Guard struct {
	space     *consistency.Space
	strict    bool
	version   func(syncvar.ID) syncvar.Version
	pageBytes int
	pagemap   pagemap
	mappings  [][]byte
	arrays    []*array // by address
	dirty     []span
	vars      []variable // by ID
	tenure    Tenure
	tenures   uint64
	twins     []twin
}

// New returns the guard of a rank whose arrays will be in space. version is that of
// a variable that the rank has just acquired or updated. If strict, what Update
// brought can be read until the next Acquire; else until the variable itself is
// acquired and released again.
func New(space *consistency.Space, strict bool, version func(syncvar.ID) syncvar.Version) *Guard {
	return &Guard{space: space, strict: strict, version: version, pageBytes: pageBytes(), pagemap: openPagemap()}
}

// Bound says that the space has a new variable.
func (g *Guard) Bound(id syncvar.ID) {
	g.vars = append(g.vars, variable{Tally: Tally{Name: g.space.Name(id)}})
}

// Tenure is what a rank holds. IDs are strictly increasing.
type Tenure struct {
	Shared, Exclusive []syncvar.ID
	Declared          [][]consistency.Range // beside Exclusive: what will be written; nil: anything
}

// Acquired opens the pages of a tenure that has begun.
func (g *Guard) Acquired(t Tenure) error {
	g.look()
	g.tenure = t
	g.tenures++
	for i := range g.vars {
		if g.strict && g.vars[i].hold == updated {
			g.close(syncvar.ID(i))
		}
	}
	for _, id := range t.Shared {
		g.acquire(id, shared, nil)
	}
	for i, id := range t.Exclusive {
		writes := t.Declared[i]
		if writes == nil {
			writes = g.space.Ranges(id)
		}
		g.acquire(id, exclusive, writes)
	}
	if err := g.settle(); err != nil {
		return err
	}
	g.keepTwins()
	return nil
}

// acquire opens one variable of a tenure.
func (g *Guard) acquire(id syncvar.ID, h hold, writes []consistency.Range) {
	g.close(id)
	v := &g.vars[id]
	v.had = true
	v.acquired(h, g.tenures)
	g.open(id, h, writes)
}

// Released closes the pages of the tenure. written are the variables that were changed,
// in the order of IDs. The error says what was changed that must not be.
func (g *Guard) Released(written []syncvar.ID) error {
	g.look()
	mistake := g.compareTwins()
	stack := source.Callers()
	for _, id := range g.tenure.Exclusive {
		if _, found := slices.BinarySearch(written, id); !found {
			g.vars[id].Unwritten++
		}
	}
	for _, ids := range [][]syncvar.ID{g.tenure.Shared, g.tenure.Exclusive} {
		for _, id := range ids {
			v := &g.vars[id]
			v.version = g.version(id) // an exclusive holder has made it
			v.released = stack
			g.close(id)
		}
	}
	g.tenure = Tenure{}
	if mistake != nil {
		return mistake
	}
	return g.flush()
}

// Updated opens, for reading, what the rank has acquired before.
func (g *Guard) Updated() error {
	g.look()
	for i := range g.vars {
		if !g.vars[i].had {
			continue
		}
		g.close(syncvar.ID(i))
		g.open(syncvar.ID(i), updated, nil)
	}
	return g.settle()
}

// Tallies ends the guard's work and returns what it has counted, by ID.
func (g *Guard) Tallies() []Tally {
	g.look()
	tallies := make([]Tally, len(g.vars))
	for i := range g.vars {
		g.close(syncvar.ID(i))
		tallies[i] = g.vars[i].Tally
	}
	return tallies
}

// open counts a variable's pages as accessible and notes what has arrived.
func (g *Guard) open(id syncvar.ID, h hold, writes []consistency.Range) {
	v := &g.vars[id]
	v.hold, v.writes = h, writes
	g.count(g.space.Ranges(id), 1, 0)
	g.count(writes, 0, 1)
	version := g.version(id)
	for _, p := range g.space.Newer(id, v.version) {
		v.Brought += uint64(p.Len())
		v.fresh = g.byPage(v.fresh, p.Range)
	}
	v.version = version
}

// close counts them as not accessible; what was not touched so far never was.
func (g *Guard) close(id syncvar.ID) {
	v := &g.vars[id]
	if v.hold == none {
		return
	}
	g.count(g.space.Ranges(id), -1, 0)
	g.count(v.writes, 0, -1)
	v.hold, v.writes = none, nil
	for _, r := range v.fresh {
		v.Untouched += uint64(r.Len())
	}
	v.fresh = v.fresh[:0]
}

// settle lets the program see what was opened and closed.
func (g *Guard) settle() error {
	if err := g.forgetFresh(); err != nil {
		return err
	}
	return g.flush()
}
