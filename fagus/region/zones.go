package region

import (
	"cmp"
	"math/bits"
	"slices"
)

// touch is what is done to elements.
type touch int

const (
	reads touch = iota
	writes
	overwrites
)

// use is a rank that has to do with a class in a step.
type use struct {
	step, rank int
	does       [3]bool // by touch
}

// class are elements of an array of which the same becomes.
type class struct {
	array     int
	intervals []Interval
	uses      []use // by step and rank
}

// classes divides an array. What only one rank has to do with, but for the input and the output, is one class a rank: which of it is
// used in which step is nobody's business; and what lies between such elements is with them. All else is cut wherever an access begins or
// ends, and pieces with the same uses are a class. It also notes what accesses do where ranks meet.
func (p *Plan) classes(array int) []*class {
	all := []Interval{{0, p.lengths[array]}}
	touched := func(hull bool, zone []Interval) [][]Interval {
		by := make([][]Interval, p.nodes)
		for s := range p.steps {
			if p.steps[s].home {
				continue
			}
			for rank := range p.nodes {
				a := p.at(s, rank, array)
				for _, r := range []*Region{&a.reads, &a.writes, &a.overwrites} {
					if hull {
						by[rank] = union(by[rank], r.hulls())
					} else {
						by[rank] = union(by[rank], r.in(zone))
					}
				}
			}
		}
		return by
	}
	hulls := touched(true, nil)
	for rank := range hulls {
		hulls[rank] = (&Region{}).with(hulls[rank]).in(all)
	}
	private, zone := alone(hulls)
	exact, shared := alone(touched(false, zone))
	for rank := range private {
		private[rank] = merged(append(private[rank], exact[rank]...))
	}
	p.note(array, shared)
	var list []*class
	for rank, own := range private {
		fresh, rest := p.fresh(array, rank, own)
		for _, part := range [][]Interval{fresh, rest} {
			if len(part) > 0 {
				list = append(list, p.privateClass(array, rank, part))
			}
		}
	}
	return append(list, p.sharedClasses(array)...)
}

// with is the region of intervals.
func (r *Region) with(all []Interval) *Region {
	for _, i := range all {
		r.Add(i.Lo, i.Hi)
	}
	return r
}

// alone separates what only one rank has of elements from what several have.
func alone(by [][]Interval) (private [][]Interval, shared []Interval) {
	type edge struct{ at, rank, more int }
	var edges []edge
	for rank, all := range by {
		for _, i := range all {
			edges = append(edges, edge{i.Lo, rank, 1}, edge{i.Hi, rank, -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	private = make([][]Interval, len(by))
	ranks, sum := 0, 0 // that are open, and the sum of their numbers: the number of the one if there is one
	for i, e := range edges {
		ranks += e.more
		sum += e.more * e.rank
		if i+1 == len(edges) || edges[i+1].at == e.at || ranks == 0 {
			continue
		}
		if piece := (Interval{e.at, edges[i+1].at}); ranks == 1 {
			private[sum] = append(private[sum], piece)
		} else {
			shared = append(shared, piece)
		}
	}
	for rank := range private {
		private[rank] = merged(private[rank])
	}
	return private, merged(shared)
}

// note keeps of every access what lies where ranks meet.
func (p *Plan) note(array int, shared []Interval) {
	for s := range p.steps {
		for rank := range p.nodes {
			a := p.at(s, rank, array)
			for t, r := range []*Region{&a.reads, &a.writes, &a.overwrites} {
				a.exact[t] = r.in(shared)
			}
		}
	}
}

// fresh are those of a rank's own elements that it overwrites before it does anything else with them: their input does not matter.
func (p *Plan) fresh(array, rank int, own []Interval) (fresh, rest []Interval) {
	var seen []Interval
	for s := range p.steps {
		if p.steps[s].home {
			continue
		}
		a := p.at(s, rank, array)
		before := union(seen, union(a.reads.hulls(), a.writes.hulls()))
		if len(a.overwrites.pieces) > 0 && a.overwrites.countable() {
			fresh = union(fresh, minus(a.overwrites.in(own), before))
		}
		seen = union(before, a.overwrites.hulls())
	}
	return fresh, minus(own, fresh)
}

// privateClass is what only one rank has to do with.
func (p *Plan) privateClass(array, rank int, own []Interval) *class {
	c := &class{array: array, intervals: own}
	for s := range p.steps {
		for r := range p.nodes {
			if r != rank && !p.steps[s].home {
				continue
			}
			u := use{step: s, rank: r}
			a := p.at(s, r, array)
			for t, region := range []*Region{&a.reads, &a.writes, &a.overwrites} {
				u.does[t] = region.touches(own)
				if touch(t) == overwrites && u.does[t] && !region.covers(own) {
					u.does[t], u.does[writes] = false, true
				}
			}
			if u.does != [3]bool{} {
				c.uses = append(c.uses, u)
			}
		}
	}
	return c
}

// edge is where an access of an array begins or ends.
type edge struct {
	at   int
	use  int32 // the number of a step, a rank and a touch
	more int32 // 1: it begins; -1: it ends
}

// signature tells sets of uses apart: each adds two numbers of 64 bits that look random.
type signature [2]uint64

func (s *signature) toggle(use uint64) {
	s[0] ^= scramble(use*2 + 1)
	s[1] ^= scramble(^use)
}

// scramble is SplitMix64.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// sharedClasses are those of elements that several ranks have to do with, in the order of their first elements.
func (p *Plan) sharedClasses(array int) (list []*class) {
	var edges []edge
	for s := range p.steps {
		for rank := range p.nodes {
			for t, all := range p.at(s, rank, array).exact {
				use := int32((s*p.nodes+rank)*3 + t)
				for _, i := range all {
					edges = append(edges, edge{i.Lo, use, 1}, edge{i.Hi, use, -1})
				}
			}
		}
	}
	edges = sorted(edges, p.lengths[array])
	known := make(map[signature]*class)
	open := make([]uint64, (len(p.steps)*p.nodes*3+63)/64) // a bit a use
	count := 0
	var sign signature
	for i, e := range edges {
		sign.toggle(uint64(e.use))
		open[e.use/64] ^= 1 << (e.use % 64)
		count += int(e.more)
		if i+1 == len(edges) || edges[i+1].at == e.at || count == 0 {
			continue
		}
		c := known[sign]
		if c == nil {
			c = &class{array: array, uses: p.inOrder(open)}
			known[sign], list = c, append(list, c)
		}
		c.intervals = append(c.intervals, Interval{e.at, edges[i+1].at})
	}
	for _, c := range list {
		c.intervals = merged(c.intervals)
	}
	return list
}

// sorted puts edges of elements up to length in order, by digits of 11 bits.
func sorted(edges []edge, length int) []edge {
	const digit = 1 << 11
	other := make([]edge, len(edges))
	for shift := 0; length>>shift > 0; shift += 11 {
		var first [digit + 1]int
		for _, e := range edges {
			first[e.at>>shift%digit+1]++
		}
		for d := range digit {
			first[d+1] += first[d]
		}
		for _, e := range edges {
			d := e.at >> shift % digit
			other[first[d]] = e
			first[d]++
		}
		edges, other = other, edges
	}
	return edges
}

// inOrder are the uses of a set.
func (p *Plan) inOrder(open []uint64) (uses []use) {
	for i, word := range open {
		for ; word != 0; word &= word - 1 {
			number := 64*i + bits.TrailingZeros64(word)
			u := use{step: number / 3 / p.nodes, rank: number / 3 % p.nodes}
			if n := len(uses); n == 0 || uses[n-1].step != u.step || uses[n-1].rank != u.rank {
				uses = append(uses, u)
			}
			uses[len(uses)-1].does[number%3] = true
		}
	}
	return uses
}
