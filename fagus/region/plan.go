package region

import (
	"cmp"
	"fmt"
	"slices"
)

// access is what a rank does to an array in a step.
type access struct{ reads, writes Region }

// Plan is what ranks do, step by step.
type Plan struct {
	nodes   int
	lengths []int      // of the arrays, in elements
	steps   [][]access // by step, and in it by rank and array
}

// NewPlan is a plan without steps, for arrays of so many elements.
func NewPlan(nodes int, lengths ...int) *Plan { return &Plan{nodes: nodes, lengths: lengths} }

// Step adds a step and returns its number, from 0.
func (p *Plan) Step() int {
	p.steps = append(p.steps, make([]access, p.nodes*len(p.lengths)))
	return len(p.steps) - 1
}

func (p *Plan) at(step, rank, array int) *access { return &p.steps[step][rank*len(p.lengths)+array] }

// Reads says which elements of an array a rank reads in a step; it can be said in parts.
func (p *Plan) Reads(step, rank, array int) *Region { return &p.at(step, rank, array).reads }

// Writes says which it writes, or may write.
func (p *Plan) Writes(step, rank, array int) *Region { return &p.at(step, rank, array).writes }

// check reports what does not fit: elements that do not exist, and a step in which one rank writes what another reads or writes.
func (p *Plan) check() error {
	for s := range p.steps {
		for array, length := range p.lengths {
			for rank := range p.nodes {
				a := p.at(s, rank, array)
				if !a.reads.Within(length) || !a.writes.Within(length) {
					return fmt.Errorf("region: step %d: rank %d reads %v and writes %v of array %d, which has %d elements", s, rank, &a.reads, &a.writes, array, length)
				}
				for other := range p.nodes {
					if b := p.at(s, other, array); other != rank && (a.writes.Meets(&b.reads) || a.writes.Meets(&b.writes)) {
						return fmt.Errorf("region: step %d: rank %d writes %v of array %d, and rank %d reads %v and writes %v", s, rank, &a.writes, array, other, &b.reads, &b.writes)
					}
				}
			}
		}
	}
	return nil
}

// class are elements that the same ranks read and write in the same steps.
type class struct {
	array     int
	intervals []Interval
	uses      []use
}

// use is a step and a rank, and what it does to a class.
type use struct {
	step, rank int
	writes     bool
}

// edge is where an access of an array begins or ends.
type edge struct {
	at    int
	begin bool
	use
}

// classes cuts an array wherever an access begins or ends, and puts pieces with the same accesses together, in the order of their
// first elements.
func (p *Plan) classes(array int) []*class {
	var edges []edge
	for s := range p.steps {
		for rank := range p.nodes {
			a := p.at(s, rank, array)
			for _, i := range a.reads.Intervals() {
				u := use{s, rank, false}
				edges = append(edges, edge{i.Lo, true, u}, edge{i.Hi, false, u})
			}
			for _, i := range a.writes.Intervals() {
				u := use{s, rank, true}
				edges = append(edges, edge{i.Lo, true, u}, edge{i.Hi, false, u})
			}
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	known := make(map[string]*class)
	var list []*class
	open := make(map[use]bool)
	for i, e := range edges {
		if e.begin {
			open[e.use] = true
		} else {
			delete(open, e.use)
		}
		if i+1 == len(edges) || edges[i+1].at == e.at || len(open) == 0 {
			continue
		}
		uses := inOrder(open)
		key := fmt.Sprint(uses)
		c := known[key]
		if c == nil {
			c = &class{array: array, uses: uses}
			known[key], list = c, append(list, c)
		}
		if n := len(c.intervals); n > 0 && c.intervals[n-1].Hi == e.at {
			c.intervals[n-1].Hi = edges[i+1].at
		} else {
			c.intervals = append(c.intervals, Interval{e.at, edges[i+1].at})
		}
	}
	return list
}

// inOrder are the uses of a set.
func inOrder(open map[use]bool) []use {
	var uses []use
	for u := range open {
		uses = append(uses, u)
	}
	slices.SortFunc(uses, func(a, b use) int {
		return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.rank, b.rank), cmp.Compare(a.order(), b.order()))
	})
	return uses
}

// order has a read before a write.
func (u use) order() int {
	if u.writes {
		return 1
	}
	return 0
}

// together says whether a step needs no phase between it and those from first on: no rank reads or writes in one what
// another writes in the other.
func (p *Plan) together(first, step int) bool {
	for ; first < step; first++ {
		for array := range p.lengths {
			for rank := range p.nodes {
				for other := range p.nodes {
					a, b := p.at(first, rank, array), p.at(step, other, array)
					if rank != other && (a.writes.Meets(&b.reads) || a.writes.Meets(&b.writes) || a.reads.Meets(&b.writes)) {
						return false
					}
				}
			}
		}
	}
	return true
}
