package travel

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet/capacity"
	"github.com/fagus-dsm/fagus/fagus/recording"
)

// contents are the contents of arrays, at one point of a run after the other.
type contents struct {
	*run
	until   point
	streams []*stream
	arrays  []*memory
	writers []writer // writers[0] is nobody
	compact int      // the number of writers from which some may be unused
	meeting int      // meetings that all ranks have passed
}

// stream is the file of a rank, read up to some meeting.
type stream struct {
	*recording.Reader
	rank   int
	tenure *recording.Tenure
	over   bool // the file ends, or the point is reached
}

// memory is the content of an array. The elements are cut into units, of which no piece has a part.
type memory struct {
	*array
	unit    int     // bytes
	bytes   []byte  // nil without values
	by      []int32 // by unit: who has written it last, an index in contents.writers
	changed []span  // since the last comparison, in any order
	unknown []span  // at the last comparison, by hashes
}

// span is units from lo up to, but not including, hi.
type span struct{ lo, hi int }

// writer is who has written units last: with values all that a tenure has written to a variable,
// without them one piece.
type writer struct {
	author
	meeting int    // orders writers, then version does
	span    span   // without values
	hash    uint64 // without values
}

// need returns how many bytes newContents takes for arrays.
func (r *run) need(values bool, want func(*array) bool) (bytes int) {
	for i := range r.arrays {
		if a := &r.arrays[i]; want(a) {
			bytes += a.Bytes / a.unit() * 4 // memory.by
			if values {
				bytes += a.Bytes
			}
		}
	}
	return bytes
}

// fits returns an error if the arrays of records need more memory than this host has: a record that
// is damaged could name any number.
func fits(bytes int, of string) error {
	if err := capacity.Host().Check(bytes); err != nil {
		return fmt.Errorf("%s: the arrays: %w", of, err)
	}
	return nil
}

// unit returns the size of the parts of an array of which no piece has a part.
func (a *array) unit() int { return gcd(a.Element, consistency.PageBytes) }

// newContents returns the contents before the run. Only the arrays that want returns true for are
// kept, which fit in memory. Without values, only who has written is known, and hashes.
func (r *run) newContents(until point, values bool, want func(*array) bool) (*contents, error) {
	c := &contents{run: r, until: until, writers: make([]writer, 1), compact: 1 << 16}
	for i := range r.arrays {
		a := &r.arrays[i]
		if !want(a) {
			c.arrays = append(c.arrays, nil)
			continue
		}
		m := &memory{array: a, unit: a.unit()}
		m.by = make([]int32, a.Bytes/m.unit)
		if values {
			m.bytes = make([]byte, a.Bytes)
		}
		c.arrays = append(c.arrays, m)
	}
	for rank := range r.Nodes {
		in, err := r.Rank(rank)
		if err != nil {
			c.close()
			return nil, err
		}
		c.streams = append(c.streams, &stream{Reader: in, rank: rank})
	}
	return c, nil
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (c *contents) close() {
	for _, s := range c.streams {
		s.Close()
	}
}

// advance goes on to the next meeting of all ranks. It returns false if the record of a rank ends
// before, or the point comes before: then what other ranks have done until the meeting is in c.
func (c *contents) advance(ctx context.Context) (met bool, err error) {
	met = true
	for _, s := range c.streams {
		there, err := c.read(s)
		if err != nil {
			return false, err
		}
		met = met && there
	}
	c.meeting++
	c.forget()
	return met, ctx.Err()
}

// finish goes on to the point, or the end.
func (c *contents) finish(ctx context.Context) error {
	for {
		if _, err := c.advance(ctx); err != nil {
			return err
		}
		over := true
		for _, s := range c.streams {
			over = over && s.over
		}
		if over {
			return nil
		}
	}
}

func (c *contents) read(s *stream) (met bool, err error) {
	for !s.over {
		e, err := s.Next()
		if errors.Is(err, io.EOF) {
			s.over = true
			return false, nil
		}
		if err != nil {
			return false, err
		}
		switch e := e.(type) {
		case *recording.Meeting:
			s.over = !c.until.reaches(e, c.shift[s.rank])
			return !s.over, nil
		case *recording.Tenure:
			if s.over = !c.until.has(e, c.shift[s.rank]); !s.over {
				s.tenure = e
			}
		case *recording.Writes:
			if s.tenure != nil && !s.tenure.Moved { // or the values are there already
				c.wrote(s, e)
			}
		}
	}
	return false, nil
}

// wrote applies writes, as far as they are newer than what is there.
func (c *contents) wrote(s *stream, e *recording.Writes) {
	by := writer{author: c.author(s.Reader, s.rank, s.tenure, e.ID, e.Version), meeting: c.meeting}
	added := false
	for _, p := range e.Pieces {
		m := c.memoryOf(p.Range)
		if m == nil {
			continue
		}
		lo := int(p.Range.Lo - m.Base)
		of := span{lo / m.unit, (int(p.Range.Hi-m.Base) + m.unit - 1) / m.unit}
		if m.bytes == nil {
			by.span, by.hash = of, p.Hash
		}
		if !added || m.bytes == nil {
			c.writers, added = append(c.writers, by), true
		}
		m.apply(c.writers, of, p.Bytes, lo)
	}
}

// apply writes bytes of an offset, by the last writer, to the units whose writers are older.
func (m *memory) apply(writers []writer, of span, bytes []byte, offset int) {
	last := int32(len(writers) - 1)
	by := &writers[last]
	before := int32(-1)
	newer := false
	for u := of.lo; u < of.hi; u++ {
		if now := m.by[u]; now != before {
			w := &writers[now]
			before, newer = now, now == 0 || w.meeting < by.meeting || w.meeting == by.meeting && w.Version <= by.Version
		}
		if !newer {
			continue
		}
		if m.by[u] = last; m.bytes != nil {
			lo, hi := max(u*m.unit, offset), min((u+1)*m.unit, offset+len(bytes))
			copy(m.bytes[lo:hi], bytes[lo-offset:hi-offset])
		}
	}
	if n := len(m.changed); n > 0 && m.changed[n-1].hi == of.lo {
		m.changed[n-1].hi = of.hi
	} else {
		m.changed = append(m.changed, of)
	}
}

// memoryOf returns the array that has a range; nil if it is not kept.
func (c *contents) memoryOf(r consistency.Range) *memory {
	for i := range c.run.arrays {
		a := &c.run.arrays[i]
		if a.Base <= r.Lo && r.Hi <= a.Base+consistency.Addr(a.Bytes) {
			return c.arrays[i]
		}
	}
	return nil
}

// forget removes the writers of which nothing is left, when there are many.
func (c *contents) forget() {
	if len(c.writers) < c.compact {
		return
	}
	renamed := make([]int32, len(c.writers))
	for _, m := range c.arrays {
		if m == nil {
			continue
		}
		for _, w := range m.by {
			renamed[w] = 1
		}
	}
	kept := c.writers[:1]
	for i := 1; i < len(c.writers); i++ {
		if renamed[i] != 0 {
			renamed[i] = int32(len(kept))
			kept = append(kept, c.writers[i])
		}
	}
	renamed[0] = 0
	for _, m := range c.arrays {
		if m == nil {
			continue
		}
		for u, w := range m.by {
			m.by[u] = renamed[w]
		}
	}
	c.writers = kept
	c.compact = max(1<<16, 2*len(kept))
}

// value returns an element's value; "" without values.
func (m *memory) value(element int) string {
	if m.bytes == nil {
		return ""
	}
	return m.text(m.bytes[element*m.Element:][:m.Element])
}

// author returns who has written an element last; nil if nobody has.
func (c *contents) authorOf(m *memory, element int) *author {
	per := m.Element / m.unit
	var last *writer
	for _, w := range m.by[element*per:][:per] {
		if of := &c.writers[w]; w != 0 && (last == nil || last.meeting < of.meeting || last.meeting == of.meeting && last.Version < of.Version) {
			last = of
		}
	}
	if last == nil {
		return nil
	}
	return &last.author
}
