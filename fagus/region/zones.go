package region

import (
	"cmp"
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

// mostRuns is how many runs of elements of an array may be looked at one by one. Where there are more, those that lie between elements
// that only one rank has to do with are that rank's.
const mostRuns = 1 << 20

// classes divides an array. What only one rank has to do with, but for the input and the output, is one class a rank: which of it is
// used in which step is nobody's business. All else is cut wherever an access begins or ends, and pieces with the same
// uses are a class. It also notes what accesses do where ranks meet.
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
						by[rank] = append(by[rank], r.hulls()...)
					} else {
						by[rank] = append(by[rank], r.in(zone)...)
					}
				}
			}
		}
		for rank := range by {
			by[rank] = merged(by[rank])
		}
		return by
	}
	private := make([][]Interval, p.nodes)
	zone := all
	if p.runs(array) > mostRuns {
		hulls := touched(true, nil)
		for rank := range hulls {
			hulls[rank] = (&Region{}).with(hulls[rank]).in(all)
		}
		private, zone = alone(hulls)
	}
	exact, shared := alone(touched(false, zone))
	for rank := range private {
		private[rank] = merged(append(private[rank], exact[rank]...))
	}
	p.note(array, shared)
	var list []*class
	for rank, own := range private {
		if len(own) > 0 {
			list = append(list, p.privateClass(array, rank, own))
		}
	}
	return append(list, p.sharedClasses(array, shared)...)
}

// with is the region of intervals.
func (r *Region) with(all []Interval) *Region {
	for _, i := range all {
		r.Add(i.Lo, i.Hi)
	}
	return r
}

func (p *Plan) runs(array int) (n int) {
	for s := range p.steps {
		for rank := range p.nodes {
			a := p.at(s, rank, array)
			n += a.reads.runs() + a.writes.runs() + a.overwrites.runs()
		}
	}
	return n
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
				in := region.in(own)
				u.does[t] = len(in) > 0
				if touch(t) == overwrites && u.does[t] && !cover(in, own) {
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
	at         int
	begin      bool
	step, rank int
	touch      touch
}

// signature tells sets of uses apart: each adds two numbers of 64 bits that look random.
type signature [2]uint64

func (s *signature) toggle(e edge, nodes int) {
	number := uint64((e.step*nodes+e.rank)*3 + int(e.touch))
	s[0] ^= scramble(number*2 + 1)
	s[1] ^= scramble(^number)
}

// scramble is SplitMix64.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// sharedClasses are those of elements that several ranks have to do with, in the order of their first elements.
func (p *Plan) sharedClasses(array int, shared []Interval) (list []*class) {
	var edges []edge
	for s := range p.steps {
		for rank := range p.nodes {
			for t, all := range p.at(s, rank, array).exact {
				for _, i := range all {
					edges = append(edges, edge{i.Lo, true, s, rank, touch(t)}, edge{i.Hi, false, s, rank, touch(t)})
				}
			}
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	known := make(map[signature]*class)
	open := make(map[[2]int][3]bool) // by step and rank
	var sign signature
	for i, e := range edges {
		sign.toggle(e, p.nodes)
		u := [2]int{e.step, e.rank}
		does := open[u]
		does[e.touch] = e.begin
		open[u] = does
		if does == [3]bool{} {
			delete(open, u)
		}
		if i+1 == len(edges) || edges[i+1].at == e.at || len(open) == 0 {
			continue
		}
		c := known[sign]
		if c == nil {
			c = &class{array: array, uses: inOrder(open)}
			known[sign], list = c, append(list, c)
		}
		c.intervals = append(c.intervals, Interval{e.at, edges[i+1].at})
	}
	for _, c := range list {
		c.intervals = merged(c.intervals)
	}
	return list
}

// inOrder are the uses of a set.
func inOrder(open map[[2]int][3]bool) []use {
	uses := make([]use, 0, len(open))
	for u, does := range open {
		uses = append(uses, use{u[0], u[1], does})
	}
	slices.SortFunc(uses, func(a, b use) int { return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.rank, b.rank)) })
	return uses
}
