package region

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// Array is a fagus.Array of any type.
type Array interface {
	Len() int
	Range(lo, hi int) fagus.Range
}

// Shared is a plan with its variables, at one rank.
type Shared struct {
	node  *fagus.Node
	steps []*phase // by step; steps that are one phase have the same
	open  *phase   // acquired, and not released yet
}

// phase is what is acquired at once.
type phase struct {
	set         *fagus.SyncSet
	first, last int // its steps
}

// variable is what guards classes that are acquired in the same way.
type variable struct {
	ranges   []fagus.Range
	acquired []acquisition
	bound    *fagus.SyncVar
}

// Share binds what the plan needs, and makes this rank's sets. It is collective: every rank has the same plan, and the arrays that it
// was made for, in order. The plan must not be changed any more.
func (p *Plan) Share(n *fagus.Node, arrays ...Array) (*Shared, error) {
	if len(arrays) != len(p.lengths) || n.Nodes() != p.nodes {
		return nil, fmt.Errorf("region: %d arrays on %d nodes: the plan is for %d on %d", len(arrays), n.Nodes(), len(p.lengths), p.nodes)
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
				continue // nobody else wants it
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
	wants := make([]map[*variable]bool, len(p.steps)) // what this rank acquires in a step, and whether exclusively
	made := n.Arrays()                                // since the last call
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

// phases makes this rank's set of each phase of the plan.
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

// Enter acquires what this rank wants in a step, unless it has it from the step before, with which this one is a phase.
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

// Leave releases it, unless the next step is of the same phase. In threaded mode all ranks meet then: what one has written
// the others may read in the next phase.
func (s *Shared) Leave(step int) error {
	one := s.steps[step]
	if step < one.last {
		return nil
	}
	s.open = nil
	if err := s.node.Release(one.set); err != nil || s.node.Mode() == fagus.Phase {
		return err
	}
	return s.node.Barrier()
}
