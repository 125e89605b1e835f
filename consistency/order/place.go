package order

import (
	"cmp"
	"slices"

	"github.com/fagus-dsm/fagus/syncvar"
)

// placed is a tenure with its place in the order of the tenures between two meetings.
type placed struct {
	*Record
	rank  int
	known []int // known[q]: how many steps of rank q precede it; nil: no step of any rank
}

// before reports whether a precedes b, a tenure of another rank.
func (a placed) before(b placed) bool { return b.known != nil && b.known[a.rank] > a.Step }

// change is an unordered tenure that changed the data of its variable.
type change struct {
	*Record
	rank  int
	ready bool  // known is valid
	known []int // as in placed
}

// placing finds the places of the tenures that the ranks had between two meetings.
type placing struct {
	left    [][]Record              // by rank: the tenures that have no place yet
	known   [][]int                 // by rank: placed.known of the last placed tenure
	changes map[syncvar.ID][]change // in the order of versions
	all     map[syncvar.ID][]placed // the result; the tenures of a rank are in their order
}

func place(between [][]Record) map[syncvar.ID][]placed {
	p := placing{
		left: slices.Clone(between), known: make([][]int, len(between)),
		changes: make(map[syncvar.ID][]change), all: make(map[syncvar.ID][]placed),
	}
	for rank, records := range between {
		for i := range records {
			if r := &records[i]; r.Unordered && r.Changed {
				p.changes[r.Var] = append(p.changes[r.Var], change{Record: r, rank: rank})
			}
		}
	}
	for _, of := range p.changes {
		slices.SortStableFunc(of, func(a, b change) int { return cmp.Compare(a.Version, b.Version) })
	}
	for moved := true; moved; {
		moved = false
		for rank := range between {
			for p.step(rank, false) {
				moved = true
			}
		}
		// No run has a cycle of changes that see each other, but a damaged log may have one.
		for rank := 0; !moved && rank < len(between); rank++ {
			moved = p.step(rank, true)
		}
	}
	return p.all
}

// step gives a place to the next step of a rank. It returns false if there is none, or if the step
// saw a change that has no place yet. If force is set, it ignores such changes.
func (p *placing) step(rank int, force bool) bool {
	left := p.left[rank]
	if len(left) == 0 {
		return false
	}
	end := 1
	for end < len(left) && left[end].Step == left[0].Step {
		end++
	}
	known := p.known[rank]
	for i := range left[:end] {
		c := p.seen(&left[i])
		switch {
		case c == nil || c.rank == rank || !c.ready && force:
		case !c.ready:
			return false
		default:
			known = join(known, c, len(p.left))
		}
	}
	for i := range left[:end] {
		r := &left[i]
		p.all[r.Var] = append(p.all[r.Var], placed{r, rank, known})
		if r.Unordered && r.Changed {
			c := p.change(r)
			c.ready, c.known = true, known
		}
	}
	p.left[rank], p.known[rank] = left[end:], known
	return true
}

// seen returns the last change that a tenure saw, or nil. That change saw the changes before it.
// An ordered tenure sees none: its order must not depend on them.
func (p *placing) seen(r *Record) *change {
	if !r.Unordered {
		return nil
	}
	i, found := p.find(r)
	if found && !r.Exclusive { // the version of an exclusive tenure is its own
		i++
	}
	if i == 0 {
		return nil
	}
	return &p.changes[r.Var][i-1]
}

// change returns the change that a tenure made.
func (p *placing) change(r *Record) *change {
	i, _ := p.find(r)
	return &p.changes[r.Var][i]
}

// find returns the index of the first change of the version of a tenure or of a later one.
func (p *placing) find(r *Record) (i int, found bool) {
	return slices.BinarySearchFunc(p.changes[r.Var], r.Version, func(c change, v syncvar.Version) int { return cmp.Compare(c.Version, v) })
}

// join returns known, extended by c and all that precedes it.
func join(known []int, c *change, ranks int) []int {
	if known != nil && known[c.rank] > c.Step {
		return known
	}
	known = append(make([]int, 0, ranks), known...)[:ranks]
	for q, steps := range c.known {
		known[q] = max(known[q], steps)
	}
	known[c.rank] = max(known[c.rank], c.Step+1)
	return known
}
