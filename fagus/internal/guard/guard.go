package guard

import (
	"slices"
	"sync"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/fagus/internal/source"
	"github.com/fagus-dsm/fagus/syncvar"
)

// hold is the access that a rank has to the bytes of a variable, and why.
type hold uint8

const (
	none      hold = iota // not accessible
	updated               // readable: Update has brought them up to date
	shared                // readable: held shared
	exclusive             // writable: held exclusively
)

type variable struct {
	hold    hold
	had     bool                // acquired before, so that Update refreshes it
	writes  []consistency.Range // ranges that the exclusive holder may write
	version syncvar.Version     // of this rank's copy
	// fresh has the received ranges that were untouched at the last poll, each within a page.
	fresh    []consistency.Range
	released []uintptr // stack of the last Release
	windows  []*area   // the mappings that Part has made of its ranges
	Tally
}

// Guard checks the accesses of one rank. It belongs to the goroutine of the rank. The methods
// of a nil *Guard do nothing, except for Map and Fault, which must not be called.
type Guard struct {
	space     *consistency.Space
	strict    bool
	version   func(syncvar.ID) syncvar.Version
	pageBytes int
	pagemap   pagemap
	mappings  [][]byte   // of Map; Close unmaps them
	views     [][]byte   // of View; Close unmaps them
	arrays    []*array   // by address
	dirty     []span     // pages whose counts have changed since the last flush
	vars      []variable // by variable ID
	tenure    Tenure     // the current tenure; empty if the rank holds nothing
	tenures   uint64     // number of tenures begun
	twins     []twin

	mu          sync.Mutex // held by Part
	windows     [][]byte   // all windows; Close unmaps them
	mostWindows int
}

// New returns a guard for one of several ranks, whose arrays will be in space. version returns the
// version of a variable that the rank has just acquired or updated. A variable that Update
// refreshed may be read until it is acquired and released again; if strict is set, only until the
// next Acquire of any set.
func New(space *consistency.Space, strict bool, ranks int, version func(syncvar.ID) syncvar.Version) *Guard {
	return &Guard{space: space, strict: strict, version: version, pageBytes: pageBytes(), pagemap: openPagemap(), mostWindows: mostWindows / ranks}
}

// Bound adds a variable that was added to the space.
func (g *Guard) Bound(id syncvar.ID) {
	if g == nil {
		return
	}
	g.vars = append(g.vars, variable{Tally: Tally{Name: g.space.Name(id), OfParts: source.OfParts()}})
}

// Tenure lists the variables that a rank holds, in increasing order of IDs.
type Tenure struct {
	Shared, Exclusive []syncvar.ID
	// Declared holds the declared writes, by index in Exclusive. A nil element permits all.
	Declared [][]consistency.Range
}

// Acquired begins the tenure t and opens its pages.
func (g *Guard) Acquired(t Tenure) error {
	if g == nil {
		return nil
	}
	g.pollTouched()
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

// Released ends the tenure and closes its pages. written lists the changed variables in order of
// IDs. The error names the first element that was changed without permission.
func (g *Guard) Released(written []syncvar.ID) error {
	if g == nil {
		return nil
	}
	g.pollTouched()
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
			v.version = g.version(id) // an exclusive tenure has made a new version
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

// Updated opens for reading the variables that the rank acquired earlier.
func (g *Guard) Updated() error {
	if g == nil {
		return nil
	}
	g.pollTouched()
	for i := range g.vars {
		if !g.vars[i].had {
			continue
		}
		g.close(syncvar.ID(i))
		g.open(syncvar.ID(i), updated, nil)
	}
	return g.settle()
}

// Rebinding closes the given variables, whose ranges in the space are about to change.
func (g *Guard) Rebinding(ids []syncvar.ID) error {
	if g == nil {
		return nil
	}
	g.pollTouched()
	for _, id := range ids {
		g.close(id)
		if err := g.abandon(&g.vars[id]); err != nil {
			return err
		}
	}
	return g.flush()
}

// Moved records a tenure in which data moved for a rebinding. The program touched nothing in it.
func (g *Guard) Moved(ids []syncvar.ID) {
	if g == nil {
		return
	}
	for _, id := range ids {
		g.vars[id].had = true // Update refreshes it
	}
}

// Rebound records that the given variables have their new ranges, and that their data have moved.
func (g *Guard) Rebound(ids []syncvar.ID) {
	if g == nil {
		return
	}
	for _, id := range ids {
		g.vars[id].version = g.version(id)
	}
}

// Tallies closes all variables and returns their tallies, by ID. Only Close may follow.
func (g *Guard) Tallies() []Tally {
	if g == nil {
		return nil
	}
	g.pollTouched()
	tallies, shares := make([]Tally, len(g.vars)), g.sharing()
	for i := range g.vars {
		g.close(syncvar.ID(i))
		tallies[i] = g.vars[i].Tally
		tallies[i].Sharing = shares[i]
	}
	return tallies
}

// open counts the pages of a variable as accessible, and notes which data have arrived.
func (g *Guard) open(id syncvar.ID, h hold, writes []consistency.Range) {
	v := &g.vars[id]
	v.hold, v.writes = h, writes
	g.count(v, g.space.Ranges(id), 1, 0)
	g.count(v, writes, 0, 1)
	version := g.version(id)
	for _, p := range g.space.Newer(id, v.version) {
		v.Brought += uint64(p.Len())
		v.fresh = g.byPage(v.fresh, p.Range)
	}
	v.version = version
}

// close counts the pages of a variable as closed, and the fresh data left as untouched.
func (g *Guard) close(id syncvar.ID) {
	v := &g.vars[id]
	if v.hold == none {
		return
	}
	g.count(v, g.space.Ranges(id), -1, 0)
	g.count(v, v.writes, 0, -1)
	v.hold, v.writes = none, nil
	for _, r := range v.fresh {
		v.Untouched += uint64(r.Len())
	}
	v.fresh = v.fresh[:0]
}

// settle gives the pages of the view the protection that their variables require.
func (g *Guard) settle() error {
	if err := g.forgetFresh(); err != nil {
		return err
	}
	return g.flush()
}
