package region

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
)

// Where every rank reads what all have written, each would fetch from each. With many ranks the
// data go in two hops instead, as those of parts.Whole: ranks form a square, in rows and columns.
// A rank acquires the data of its row, and writes copies of them for its column; then it reads
// what the other rows have written for its column, and copies it to its arrays. It does not count
// as current then: a later tenure brings the same data, or newer ones.

const (
	relayNodes = 16 // as parts.Whole
	mostRelays = 64 // buffers of a node
	// mostRelayed bounds the memory of a buffer: each rank touches the copies for one column,
	// or two.
	mostRelayed = 1 << 22 // elements
)

// square is the ranks in rows of equal length; the last row may be shorter.
type square struct{ nodes, side int }

func squareOf(nodes int) square {
	s := square{nodes, 1}
	for s.side*s.side < nodes {
		s.side++
	}
	return s
}

func (s square) row(rank int) int { return rank / s.side }

// server returns the rank of a row that serves a column.
func (s square) server(row, column int) int {
	return row*s.side + column%min(s.side, s.nodes-row*s.side)
}

// relayed is elements that every rank reads in a step and that one rank has, from.
type relayed struct {
	part
	from int
}

// marks marks the points where a class can be relayed, and reports whether there are any.
func (f *flow) marks(relays []bool) (any bool) {
	for i := range f.points {
		p := &f.points[i]
		if !relays[p.step] {
			continue
		}
		if p.from = f.source(p); p.from >= 0 {
			any = true
		}
	}
	return any
}

// source returns the only rank that has current contents before a point where every rank reads and
// none writes; -1 for all other points.
func (f *flow) source(p *point) int {
	if len(p.uses) != f.nodes || slices.ContainsFunc(p.uses, func(u use) bool { return u.does != reads }) {
		return -1
	}
	from := -1
	for r := range f.nodes {
		if !p.stale.has(r) {
			if from >= 0 {
				return -1
			}
			from = r
		}
	}
	return from
}

// fetches reports whether a rank that uses a class at a point gets current contents, if need be by
// a tenure. Where a class is relayed only the row of its source does.
func (f *flow) fetches(p *point, rank int) bool {
	if p.from < 0 {
		return true
	}
	s := squareOf(f.nodes)
	return s.row(rank) == s.row(p.from)
}

// mayRelay sets which steps are relayed, if many ranks have parts of what all read there. It
// reports whether there are any.
func (p *Plan) mayRelay(d *demand) bool {
	found := false
	for s, from := range d.sources {
		if 2*len(from.ranks) >= p.nodes && from.elements <= mostRelayed && !p.steps[s].virtual {
			if p.relays == nil {
				p.relays = make([]bool, len(p.steps))
			}
			p.relays[s], found = true, true
		}
	}
	return found
}

// sources are the ranks that have parts of what all ranks read in a step.
type sources struct {
	ranks    map[int]bool
	elements int
}

// relay adds what is relayed of a class, or could be.
func (d *demand) relay(f *flow, c *class, could bool) {
	for i := range f.points {
		p := &f.points[i]
		switch from := p.from; {
		case from >= 0:
			d.relayed[p.step] = append(d.relayed[p.step], relayed{part{c.array, c.intervals}, from})
		case could:
			if from = f.source(p); from < 0 {
				continue
			}
			if d.sources[p.step] == nil {
				d.sources[p.step] = &sources{ranks: make(map[int]bool)}
			}
			d.sources[p.step].ranks[from] = true
			d.sources[p.step].elements += size(c.intervals)
		}
	}
}

// relay is what a phase relays.
type relay struct {
	of    square
	parts []relayed // in the order of rows
	hop   *phase    // in which rows share their data, before the phase
	at    []int     // by part: its first byte in the copies of a column
	bytes int       // of the copies of a column
	// buffer has the copies of all columns.
	buffer *fagus.Array[byte]
	blocks []*block
	sizes  []int
}

// relay adds to a phase what its steps relay. The groups that hop has go first.
func (k *known) relay(one *phase, d *demand, nodes int) {
	var groups []int
	r := &relay{of: squareOf(nodes), hop: &phase{}, blocks: k.blocks, sizes: k.sizes}
	for s := one.first; s <= one.last; s++ {
		r.parts = append(r.parts, d.relayed[s]...)
		groups = append(groups, d.hops[s]...)
	}
	if len(r.parts) == 0 {
		return
	}
	slices.SortStableFunc(r.parts, func(a, b relayed) int { return r.of.row(a.from) - r.of.row(b.from) })
	for _, x := range r.parts {
		r.at = append(r.at, r.bytes)
		r.bytes += size(x.intervals) * k.sizes[x.array]
	}
	var rest []want
	for _, w := range one.wants {
		if slices.Contains(groups, w.group) && !w.exclusive {
			r.hop.want(w)
		} else {
			rest = append(rest, w)
		}
	}
	one.wants, one.relay = rest, r
}

// bind makes the buffer and the requests for it. It is collective.
func (r *relay) bind(s *store, one *phase) error {
	key := fmt.Sprint(r.bytes)
	row := -1
	var starts []int // of each row in the copies of a column; then their end
	for i, x := range r.parts {
		for row < r.of.row(x.from) {
			row, starts = row+1, append(starts, r.at[i])
			key += fmt.Sprint(" ", r.at[i])
		}
	}
	starts = append(starts, r.bytes)
	b := s.relays[key]
	if b == nil {
		b = &relayBuffer{}
		var err error
		if b.array, err = fagus.NewArray[byte](s.node, fmt.Sprintf("region relay %d", len(s.relays)), r.of.side*r.bytes); err != nil {
			return err
		}
		for column := range r.of.side {
			for row := range len(starts) - 1 {
				to := b.array.Range(column*r.bytes+starts[row], column*r.bytes+starts[row+1])
				if starts[row] == starts[row+1] {
					b.guards = append(b.guards, guard{})
					continue
				}
				v, err := s.node.Bind(fmt.Sprintf("region relay %d.%d.%d", len(s.relays), column, row), to)
				if err != nil {
					return err
				}
				b.guards = append(b.guards, guard{v, []fagus.Range{to}})
			}
		}
		s.relays[key] = b
	}
	r.buffer = b.array
	me := s.node.Rank()
	one.more, r.hop.more = nil, nil
	for i, g := range b.guards {
		column, row := i/(len(starts)-1), i%(len(starts)-1)
		switch {
		case g.v == nil:
		case r.of.server(row, column) == me:
			r.hop.more = append(r.hop.more, g.v.Write().Writing(g.ranges...))
			fallthrough
		default:
			if column == me%r.of.side && row != r.of.row(me) {
				one.more = append(one.more, g.v.Read())
			}
		}
	}
	return nil
}

// relayBuffer is memory for copies, with a variable for each row of each column.
type relayBuffer struct {
	array  *fagus.Array[byte]
	guards []guard
}

// copyOut copies the data of this rank's row for the columns that this rank serves.
func (r *relay) copyOut(me int) {
	for column := range r.of.side {
		if r.of.server(r.of.row(me), column) == me {
			r.copies(column, func(x relayed) bool { return r.of.row(x.from) == r.of.row(me) }, func(copies, own []byte) { copy(copies, own) })
		}
	}
}

// copyIn copies the data of other rows to this rank's arrays.
func (r *relay) copyIn(me int) {
	r.copies(me%r.of.side, func(x relayed) bool { return r.of.row(x.from) != r.of.row(me) }, func(copies, own []byte) { copy(own, copies) })
}

// copies calls f with the copies for a column and with the elements of the parts that which
// selects.
func (r *relay) copies(column int, which func(x relayed) bool, f func(copies, own []byte)) {
	for i, x := range r.parts {
		if !which(x) {
			continue
		}
		at := column*r.bytes + r.at[i]
		for _, in := range scaled(x.intervals, r.sizes[x.array]) {
			f(r.buffer.Slice()[at:at+in.Hi-in.Lo], r.blocks[x.array].array.Slice()[in.Lo:in.Hi])
			at += in.Hi - in.Lo
		}
	}
}
