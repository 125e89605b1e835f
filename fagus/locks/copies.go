package locks

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Where ranks have copies of their own, a rank that acquires a variable copies what is new from
// the owner's memory. The owner is the rank that last acquired the variable exclusively. As long
// as a rank has the variable, no other rank writes to that memory.

// changes records what exclusive tenures of a variable changed. Only a holder reads it, and only
// an exclusive holder writes to it.
type changes struct {
	dropped uint64  // the last tenure whose changes the record has forgotten
	last    [5]span // in the order of the tenures; unused ones are zero and come last
}

// span says that a tenure changed bytes from address lo to hi. Tenures count from 1.
type span struct{ tenure, lo, hi uint64 }

// tenure returns the last tenure that changed data; 0 if none did.
func (c *changes) tenure() uint64 {
	latest := c.dropped
	for _, s := range c.last {
		latest = max(latest, s.tenure)
	}
	return latest
}

// add adds s, whose tenure is not older than any in the record. It forgets spans that s covers,
// and the oldest one if there is no space.
func (c *changes) add(s span) {
	n := 0
	for _, old := range c.last {
		if old.tenure != 0 && (old.lo < s.lo || s.hi < old.hi) {
			c.last[n] = old
			n++
		}
	}
	if n == len(c.last) {
		c.dropped = c.last[0].tenure
		n = copy(c.last[:], c.last[1:])
	}
	c.last[n] = s
	clear(c.last[n+1:])
}

// since appends to news, by address, the ranges that a copy lacks if it has all changes up to
// tenure have. Outside these ranges, the copy is current.
func (c *changes) since(news []consistency.Range, have uint64) []consistency.Range {
	if have < c.dropped {
		return append(news, consistency.Range{Hi: consistency.MaxAddr})
	}
	for _, s := range c.last {
		if s.tenure > have {
			news = append(news, consistency.Range{Lo: consistency.Addr(s.lo), Hi: consistency.Addr(s.hi)})
		}
	}
	slices.SortFunc(news, func(a, b consistency.Range) int { return cmp.Compare(a.Lo, b.Lo) })
	n := 0
	for _, r := range news { // ranges of two tenures may overlap
		if n > 0 && r.Lo <= news[n-1].Hi {
			news[n-1].Hi = max(news[n-1].Hi, r.Hi)
			continue
		}
		news[n] = r
		n++
	}
	return news[:n]
}

// fetch makes the rank's copy of a variable current. The rank has just acquired it, and its lock
// still names the owner.
func (e *Engine) fetch(id syncvar.ID, l *lock) error {
	have, c := uint64(e.copies[id].version-e.first), e.changes[id]
	latest, owner := c.tenure(), syncvar.HintOf(l.hint).Owner
	if have >= latest || owner == e.rank {
		return nil
	}
	if int(owner) >= e.nodes {
		return fmt.Errorf("its owner is rank %d, in a run of %d nodes", owner, e.nodes)
	}
	e.news, e.pieces = c.since(e.news[:0], have), e.pieces[:0]
	e.counts.Copied++
	for _, r := range e.space.Ranges(id) {
		for _, news := range e.news {
			lo, hi := max(r.Lo, news.Lo), min(r.Hi, news.Hi)
			if lo >= hi {
				continue
			}
			part := consistency.Range{Lo: lo, Hi: hi}
			delay.Here()
			e.counts.Fetched += uint64(copy(e.space.Bytes(part), e.space.View(owner, part)))
			e.pieces = append(e.pieces, consistency.Piece{Range: part, Version: e.first + syncvar.Version(latest)})
		}
	}
	e.space.Accept(id, e.pieces)
	return nil
}

// change records what the rank changed in its exclusive tenure of a variable, which is ending.
func (e *Engine) change(id syncvar.ID) {
	c, version := e.changes[id], e.copies[id].version
	e.news = e.news[:0]
	for r := range e.space.Written(id, version) {
		e.news = appendRange(e.news, r, len(c.last))
	}
	for _, r := range e.news {
		c.add(span{uint64(version - e.first), uint64(r.Lo), uint64(r.Hi)})
	}
}

// appendRange appends r, which lies behind all of ranges. If there are then more than most ranges,
// it joins the two with the smallest gap between them.
func appendRange(ranges []consistency.Range, r consistency.Range, most int) []consistency.Range {
	ranges = append(ranges, r)
	if len(ranges) <= most {
		return ranges
	}
	at := 1
	gap := func(i int) consistency.Addr { return ranges[i].Lo - ranges[i-1].Hi }
	for i := 2; i < len(ranges); i++ {
		if gap(i) < gap(at) {
			at = i
		}
	}
	ranges[at-1].Hi = ranges[at].Hi
	return slices.Delete(ranges, at, at+1)
}

// fetchAll updates the rank's copies of all variables that the rank has had. All ranks are in an
// Update. No rank writes before all have fetched (awaitCalls).
func (e *Engine) fetchAll() error {
	for i := range e.copies {
		t, id := &e.copies[i], syncvar.ID(i)
		if !t.had {
			continue
		}
		if err := e.fetch(id, e.locks[i]); err != nil {
			return e.failed("updating", id, err)
		}
		t.version = e.locks[i].version(e.first)
	}
	return e.called()
}
