package region

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
)

// Array is a fagus.Array with elements of any type.
type Array interface {
	Len() int
	Range(lo, hi int) fagus.Range
}

// Shared executes a plan on one rank: it holds the rank's set for each step.
type Shared struct {
	node  *fagus.Node
	steps []*phase // by step; the steps of a phase have the same pointer
	open  *phase   // the phase whose set the rank holds; nil if none
}

// phase is a sequence of steps for which a rank acquires one set.
type phase struct {
	set         *fagus.SyncSet
	first, last int // numbers of its first and last steps
	wants       []want
	// quiet says that the rank acquires nothing in the phase, nor does any other: it is no phase.
	quiet bool
	// before is a phase before this one, in which ranks save what others want in this one.
	before *phase
	relay  *relay          // what goes in two hops; nil: nothing
	more   []fagus.Request // of the copies of a relay
}

// want is a group that a rank acquires in a phase.
type want struct {
	group     int
	exclusive bool
}

// group is a set of elements that are acquired in the same way.
type group struct {
	acquired []acquisition
	parts    []part // by array
}

// part is the elements of a group that belong to one array.
type part struct {
	array     int
	intervals []Interval
}

// Share binds the variables that the plan needs, and makes this rank's sets. It is
// collective: every rank has the same plan, and passes the arrays for which the plan was
// made, in the order of their numbers. The plan must not be changed afterwards.
//
// Share returns an error if the arrays or the number of nodes do not match the plan. It also
// returns an error if a rank writes elements that another rank uses in the same step.
func (p *Plan) Share(n *fagus.Node, arrays ...Array) (*Shared, error) {
	if len(arrays) != len(p.arrays) || n.Nodes() != p.nodes {
		return nil, fmt.Errorf("region: %d arrays on %d nodes: the plan is for %d arrays on %d nodes", len(arrays), n.Nodes(), len(p.arrays), p.nodes)
	}
	for i, a := range arrays {
		if a.Len() != p.arrays[i].length {
			return nil, fmt.Errorf("region: array %d has %d elements: the plan is for %d", i, a.Len(), p.arrays[i].length)
		}
	}
	d, err := p.demand()
	if err != nil {
		return nil, err
	}
	groups := d.groups
	made := n.Arrays() // grows between calls of Share, so it makes the names unique
	guards := make([]guards, len(groups))
	for i, g := range groups {
		var ranges []fagus.Range
		for _, part := range g.parts {
			for _, in := range part.intervals {
				ranges = append(ranges, arrays[part.array].Range(in.Lo, in.Hi))
			}
		}
		v, err := n.Bind(fmt.Sprintf("region %d of %d", i, made), ranges...)
		if err != nil {
			return nil, err
		}
		guards[i] = append(guards[i], guard{v, ranges})
	}
	s := &Shared{node: n, steps: p.phases(n.Rank(), groups)}
	s.sets(guards)
	return s, nil
}

// demand is what a plan needs.
type demand struct {
	groups []*group
	left   []validity // by array that stays: at the end
	exact  []bool     // likewise: whether left is exact
	// By step: what could be relayed, what is, and the groups of it.
	sources map[int]*sources
	relayed map[int][]relayed
	hops    map[int][]int
	busy    []bool // by step: ranks need data, or must wait for others; nil: all are
}

// demand returns what the plan needs.
func (p *Plan) demand() (*demand, error) {
	d := &demand{left: make([]validity, len(p.arrays)), exact: make([]bool, len(p.arrays)),
		sources: make(map[int]*sources), relayed: make(map[int][]relayed), hops: make(map[int][]int)}
	if len(p.spans) == 0 && !p.holds && slices.ContainsFunc(p.states, func(s *state) bool { return s != nil }) {
		d.busy = make([]bool, len(p.steps))
	}
	p.apart = make([]int, len(p.steps))
	for s := range p.apart {
		p.apart[s] = -1
	}
	known := make(map[string]*group)
	for i := range p.arrays {
		d.exact[i] = true
		if p.alias != nil && p.alias[i] != i {
			continue
		}
		for _, c := range p.classes(i) {
			if err := p.separate(c); err != nil {
				return nil, err
			}
			f := p.flow(c)
			acquired := p.acquisitions(f)
			if p.stays(i) || d.busy != nil {
				used := f.used(p.spans, !p.stays(i) || !p.states[i].exact)
				if d.busy != nil {
					f.busy(used, acquired, p.stays(i), d.busy)
				}
				if p.stays(i) {
					left, exact := f.left(c, used)
					d.left[i], d.exact[i] = append(d.left[i], left...), d.exact[i] && exact
				}
			}
			d.relay(f, c, p.mayHop && len(p.spans) == 0)
			if len(acquired) == 0 {
				continue // only one rank uses the class
			}
			key := keyOf(acquired)
			g := known[key]
			if g == nil {
				g = &group{acquired: acquired}
				known[key], d.groups = g, append(d.groups, g)
			}
			if n := len(g.parts); n == 0 || g.parts[n-1].array != i {
				g.parts = append(g.parts, part{array: i})
			}
			last := &g.parts[len(g.parts)-1]
			last.intervals = append(last.intervals, c.intervals...)
			for _, point := range f.points {
				if point.from >= 0 {
					d.hops[point.step] = append(d.hops[point.step], slices.Index(d.groups, g))
				}
			}
		}
	}
	for _, g := range d.groups {
		for i := range g.parts {
			g.parts[i].intervals = merged(g.parts[i].intervals)
		}
	}
	return d, nil
}

// phases divides the plan into phases, and returns the phase of each step of a rank.
func (p *Plan) phases(rank int, groups []*group) (steps []*phase) {
	wants := make([][]want, len(p.steps)) // by step
	for i, g := range groups {
		for _, a := range g.acquired {
			if a.rank == rank {
				wants[a.step] = append(wants[a.step], want{i, a.exclusive})
			}
		}
	}
	for first := 0; first < len(p.steps); {
		one := &phase{first: first, last: first}
		for one.last+1 < len(p.steps) && p.together(first, one.last+1) {
			one.last++
		}
		for _, w := range slices.Concat(wants[first : one.last+1]...) {
			one.want(w)
		}
		for range one.last + 1 - first {
			steps = append(steps, one)
		}
		first = one.last + 1
	}
	return steps
}

// guard is a variable with the ranges of a group that it guards.
type guard struct {
	v      *fagus.SyncVar
	ranges []fagus.Range
}

// guards are the variables that together guard a group.
type guards []guard

// sets makes the sets of all phases. guards has the variables of each group.
func (s *Shared) sets(guards []guards) {
	var all []*phase
	for _, one := range s.steps {
		if n := len(all); n == 0 || all[n-1] != one {
			all = append(all, one)
		}
		if one.before != nil {
			all = append(all[:len(all)-1], one.before, one)
		}
		if one.relay != nil && !slices.Contains(all, one.relay.hop) {
			all = append(all[:len(all)-1], one.relay.hop, one)
		}
	}
	for _, one := range all {
		requests := slices.Clone(one.more)
		for _, w := range one.wants {
			for _, g := range guards[w.group] {
				if w.exclusive {
					requests = append(requests, fagus.Want(g.v, fagus.Exclusive).Writing(g.ranges...))
				} else {
					requests = append(requests, fagus.Want(g.v, fagus.Shared))
				}
			}
		}
		one.set = s.node.Set(requests...)
	}
}

// Enter acquires the set of this rank for a step. If the rank already holds the set, because the
// previous step belongs to the same phase, Enter does nothing.
func (s *Shared) Enter(step int) error {
	one := s.steps[step]
	if s.open == one || one.quiet {
		return nil
	}
	if one.before != nil {
		if err := s.node.Acquire(one.before.set); err != nil {
			return err
		}
		if err := s.release(one.before); err != nil {
			return err
		}
	}
	if one.relay != nil {
		if err := s.node.Acquire(one.relay.hop.set); err != nil {
			return err
		}
		one.relay.copyOut(s.node.Rank())
		if err := s.release(one.relay.hop); err != nil {
			return err
		}
	}
	if err := s.node.Acquire(one.set); err != nil {
		return err
	}
	if one.relay != nil {
		one.relay.copyIn(s.node.Rank())
	}
	s.open = one
	return nil
}

// Leave releases the set that Enter acquired, unless the next step belongs to the same phase. A
// Fence follows, so that an Acquire of the next phase is not granted before another rank's Acquire
// of this phase.
func (s *Shared) Leave(step int) error {
	one := s.steps[step]
	if step < one.last || one.quiet {
		return nil
	}
	s.open = nil
	return s.release(one)
}

func (s *Shared) release(one *phase) error {
	if err := s.node.Release(one.set); err != nil {
		return err
	}
	return s.node.Fence()
}
