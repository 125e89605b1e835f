package region

import (
	"fmt"

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
}

// variable is the sync variable of all classes that are acquired in the same way.
type variable struct {
	ranges   []fagus.Range
	acquired []acquisition
	bound    *fagus.SyncVar
}

// Share binds the variables that the plan needs, and makes this rank's sets. It is
// collective: every rank has the same plan, and passes the arrays for which the plan was
// made, in the order of their numbers. The plan must not be changed afterwards.
//
// Share returns an error if the arrays or the number of nodes do not match the plan, or if in some
// step a rank writes elements that another rank reads or writes.
func (p *Plan) Share(n *fagus.Node, arrays ...Array) (*Shared, error) {
	if len(arrays) != len(p.lengths) || n.Nodes() != p.nodes {
		return nil, fmt.Errorf("region: %d arrays on %d nodes: the plan is for %d arrays on %d nodes", len(arrays), n.Nodes(), len(p.lengths), p.nodes)
	}
	var variables []*variable
	known := make(map[string]*variable)
	for i, a := range arrays {
		if a.Len() != p.lengths[i] {
			return nil, fmt.Errorf("region: array %d has %d elements: the plan is for %d", i, a.Len(), p.lengths[i])
		}
		for _, c := range p.classes(i) {
			acquired := p.acquisitions(c)
			if len(acquired) == 0 {
				continue // only one rank uses the class
			}
			key := fmt.Sprint(acquired)
			v := known[key]
			if v == nil {
				v = &variable{acquired: acquired}
				known[key], variables = v, append(variables, v)
			}
			for _, in := range c.intervals {
				v.ranges = append(v.ranges, a.Range(in.Lo, in.Hi))
			}
		}
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	// By step: the variables that this rank acquires, with true for exclusive access.
	wants := make([]map[*variable]bool, len(p.steps))
	made := n.Arrays() // grows between calls of Share, so it makes the names unique
	for i, v := range variables {
		bound, err := n.Bind(fmt.Sprintf("region %d of %d", i, made), v.ranges...)
		if err != nil {
			return nil, err
		}
		v.bound = bound
		for _, a := range v.acquired {
			if a.rank != n.Rank() {
				continue
			}
			if wants[a.step] == nil {
				wants[a.step] = make(map[*variable]bool)
			}
			wants[a.step][v] = a.exclusive
		}
	}
	s := &Shared{node: n}
	p.phases(s, wants)
	return s, nil
}

// phases divides the plan into phases and makes this rank's set for each phase.
func (p *Plan) phases(s *Shared, wants []map[*variable]bool) {
	for first := 0; first < len(p.steps); {
		last := first
		for last+1 < len(p.steps) && p.together(first, last+1) {
			last++
		}
		all := make(map[*variable]bool)
		for _, w := range wants[first : last+1] {
			for v, exclusive := range w {
				all[v] = all[v] || exclusive
			}
		}
		var requests []fagus.Request
		for v, exclusive := range all {
			if exclusive {
				requests = append(requests, fagus.Want(v.bound, fagus.Exclusive).Writing(v.ranges...))
			} else {
				requests = append(requests, fagus.Want(v.bound, fagus.Shared))
			}
		}
		one := &phase{set: s.node.Set(requests...), first: first, last: last}
		for range last + 1 - first {
			s.steps = append(s.steps, one)
		}
		first = last + 1
	}
}

// Enter acquires the set of this rank for a step. If the rank already holds the set, because the
// previous step belongs to the same phase, Enter does nothing.
func (s *Shared) Enter(step int) error {
	one := s.steps[step]
	if s.open == one {
		return nil
	}
	if err := s.node.Acquire(one.set); err != nil {
		return err
	}
	s.open = one
	return nil
}

// Leave releases the set that Enter acquired, unless the next step belongs to the same phase. A
// Fence follows, so that an Acquire of the next phase is not granted before another rank's Acquire
// of this phase.
func (s *Shared) Leave(step int) error {
	one := s.steps[step]
	if step < one.last {
		return nil
	}
	s.open = nil
	if err := s.node.Release(one.set); err != nil {
		return err
	}
	return s.node.Fence()
}
