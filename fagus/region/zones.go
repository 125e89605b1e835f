package region

import (
	"cmp"
	"math/bits"
	"slices"
)

type touch int

const (
	reads      touch = iota // reads the elements
	writes                  // writes the elements, or some of them
	overwrites              // writes all elements, without reading them before
)

type use struct {
	step, rank int
	does       [3]bool // kinds of access, by touch
}

// class is a set of elements of an array that all ranks use in the same way.
type class struct {
	array     int
	intervals []Interval
	uses      []use // in the order of steps, then ranks
}

// classes divides the elements of an array into classes. Elements that only one rank uses, apart
// from the input and the output, form two classes of that rank: the elements that it overwrites
// before any other use, and the rest. These classes may include unused elements. All other
// elements are shared: the array is cut wherever an access begins or ends, and pieces with the
// same uses form a class. classes also sets the field exact of all accesses.
func (p *Plan) classes(array int) []*class {
	all := []Interval{{0, p.lengths[array]}}
	// touched returns the elements that each rank uses: as hulls, or exactly but only in zone.
	touched := func(hull bool, zone []Interval) [][]Interval {
		by := make([][]Interval, p.nodes)
		for s := range p.steps {
			if p.steps[s].home && !p.holds {
				continue
			}
			for rank := range p.nodes {
				for t := range 3 {
					r := p.region(s, rank, array, touch(t))
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

func (r *Region) with(all []Interval) *Region {
	for _, i := range all {
		r.Add(i.Lo, i.Hi)
	}
	return r
}

// alone separates the elements that only one rank uses from the elements that several ranks use.
// The parameter by holds the elements that each rank uses.
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
	// ranks counts the ranks that use the current position, and sum adds up their numbers: with
	// one such rank, sum is its number.
	ranks, sum := 0, 0
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

func (p *Plan) note(array int, shared []Interval) {
	for s := range p.steps {
		for rank := range p.nodes {
			a := p.at(s, rank, array)
			for t := range a.regions {
				a.exact[t] = a.regions[t].in(shared)
			}
		}
	}
}

// fresh divides own, the elements that only one rank uses. The input of the fresh elements does
// not matter, because the rank overwrites them before any other use; rest holds the others.
func (p *Plan) fresh(array, rank int, own []Interval) (fresh, rest []Interval) {
	var seen []Interval
	for s := range p.steps {
		if p.steps[s].home {
			continue
		}
		over := p.Overwrites(s, rank, array)
		before := union(seen, union(p.Reads(s, rank, array).hulls(), p.Writes(s, rank, array).hulls()))
		if len(over.pieces) > 0 && over.countable() {
			fresh = union(fresh, minus(over.in(own), before))
		}
		seen = union(before, over.hulls())
	}
	return fresh, minus(own, fresh)
}

// privateClass returns a class of elements that only one rank uses, apart from the input and
// the output.
func (p *Plan) privateClass(array, rank int, own []Interval) *class {
	c := &class{array: array, intervals: own}
	for s := range p.steps {
		for r := range p.nodes {
			if r != rank && !p.steps[s].home {
				continue
			}
			u := use{step: s, rank: r}
			for t := range 3 {
				region := p.region(s, r, array, touch(t))
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

// edge is the begin or the end of an access to an array.
type edge struct {
	at   int   // the first element at or after the edge
	use  int32 // encodes the step, the rank and the touch; see inOrder
	more int32 // 1 if the access begins, -1 if it ends
}

// signature identifies a set of uses: the xor of two pseudo-random 64-bit numbers of each
// use in the set.
type signature [2]uint64

func (s *signature) toggle(use uint64) {
	s[0] ^= scramble(use*2 + 1)
	s[1] ^= scramble(^use)
}

// scramble returns a pseudo-random function of x (SplitMix64).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// sharedClasses returns the classes of elements that several ranks use, in the order of
// their first elements.
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
	open := make([]uint64, (len(p.steps)*p.nodes*3+63)/64) // a bit for each use
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

// sorted returns edges in the order of their positions, which are at most length. It is a radix
// sort with digits of 11 bits.
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

// inOrder returns the uses whose bits are set, in the order of steps, then ranks. Bit number
// (step*nodes+rank)*3+touch stands for one kind of access by a rank in a step.
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
