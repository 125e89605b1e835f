package region

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Where every rank reads what all have written, each would fetch from each. With many ranks the
// data go in two hops instead, as in parts.Whole. A rank acquires the data of its group, and
// writes copies of them for its column; then it reads what the other groups have written for its
// column, and copies it to its arrays. It does not count as current then: a later tenure brings the
// same data, or newer ones.

const (
	mostRelays = 64 // buffers of a node
	// mostRelayed bounds the memory of a buffer: each rank touches the copies for one column,
	// or two.
	mostRelayed = 1 << 22 // elements
)

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

// fetches reports whether a rank that uses a class at a point gets current contents, by a tenure if
// necessary. Where a class is relayed, only the group of its source gets them.
func (f *flow) fetches(p *point, rank int) bool {
	if p.from < 0 {
		return true
	}
	g := parts.GroupsOf(f.nodes)
	group, _ := g.Of(rank)
	of, _ := g.Of(p.from)
	return group == of
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
	of    parts.Groups
	parts []relayed // in the order of groups
	hop   *phase    // in which groups share their data, before the phase
	at    []int     // by part: its first byte in the copies of a column
	bytes int       // of the copies of a column
	// buffer has the copies of all columns.
	buffer *fagus.Array[byte]
	blocks []*block
	sizes  []int
}

// group returns the group of a rank.
func (r *relay) group(rank int) int {
	group, _ := r.of.Of(rank)
	return group
}

// relay adds to a phase what its steps relay. The groups that hop has go first.
func (k *known) relay(one *phase, d *demand, nodes int) {
	var groups []int
	r := &relay{of: parts.GroupsOf(nodes), hop: &phase{}, blocks: k.blocks, sizes: k.sizes}
	for s := one.first; s <= one.last; s++ {
		r.parts = append(r.parts, d.relayed[s]...)
		groups = append(groups, d.hops[s]...)
	}
	if len(r.parts) == 0 {
		return
	}
	slices.SortStableFunc(r.parts, func(a, b relayed) int { return r.group(a.from) - r.group(b.from) })
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
	var starts []int // of each group in the copies of a column; then their end
	for i, x := range r.parts {
		for len(starts) <= r.group(x.from) {
			starts = append(starts, r.at[i])
			key += fmt.Sprint(" ", r.at[i])
		}
	}
	starts = append(starts, r.bytes)
	b := s.relays[key]
	if b == nil {
		b = &relayBuffer{}
		var err error
		if b.array, err = fagus.NewArray[byte](s.node, fmt.Sprintf("region relay %d", len(s.relays)), r.of.Columns()*r.bytes); err != nil {
			return err
		}
		for column := range r.of.Columns() {
			for group := range len(starts) - 1 {
				to := b.array.Range(column*r.bytes+starts[group], column*r.bytes+starts[group+1])
				if starts[group] == starts[group+1] {
					b.guards = append(b.guards, guard{})
					continue
				}
				v, err := s.node.Bind(fmt.Sprintf("region relay %d.%d.%d", len(s.relays), column, group), to)
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
	own, mine := r.of.Of(me)
	one.more, r.hop.more = nil, nil
	for i, g := range b.guards {
		column, group := i/(len(starts)-1), i%(len(starts)-1)
		switch {
		case g.v == nil:
		case r.of.Server(group, column) == me:
			r.hop.more = append(r.hop.more, g.v.Write().Writing(g.ranges...))
			fallthrough
		default:
			if column == mine && group != own {
				one.more = append(one.more, g.v.Read())
			}
		}
	}
	return nil
}

// relayBuffer is memory for copies, with a variable for each group of each column.
type relayBuffer struct {
	array  *fagus.Array[byte]
	guards []guard
}

// copyOut copies the data of this rank's group for the columns that this rank serves.
func (r *relay) copyOut(me int) {
	for _, column := range r.of.Served(me) {
		r.copies(column, func(x relayed) bool { return r.group(x.from) == r.group(me) }, func(copies, own []byte) { copy(copies, own) })
	}
}

// copyIn copies the data of other groups to this rank's arrays.
func (r *relay) copyIn(me int) {
	own, column := r.of.Of(me)
	r.copies(column, func(x relayed) bool { return r.group(x.from) != own }, func(copies, own []byte) { copy(own, copies) })
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
