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

// want is what a rank wants of a variable in a step.
type want struct {
	request   fagus.Request
	exclusive bool
}

// Share binds what the plan needs, and makes this rank's sets. It is collective: every rank has the same plan, and the arrays that it
// was made for, in order.
func (p *Plan) Share(n *fagus.Node, arrays ...Array) (*Shared, error) {
	if len(arrays) != len(p.lengths) || n.Nodes() != p.nodes {
		return nil, fmt.Errorf("region: %d arrays on %d nodes: the plan is for %d on %d", len(arrays), n.Nodes(), len(p.lengths), p.nodes)
	}
	for i, a := range arrays {
		if a.Len() != p.lengths[i] {
			return nil, fmt.Errorf("region: array %d has %d elements: the plan is for %d", i, a.Len(), p.lengths[i])
		}
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	s := &Shared{node: n}
	wants := make([]map[*fagus.SyncVar]want, len(p.steps))
	for i := range wants {
		wants[i] = make(map[*fagus.SyncVar]want)
	}
	var order []*fagus.SyncVar
	for i, a := range arrays {
		for k, c := range p.classes(i) {
			if !c.moves() {
				continue
			}
			ranges := make([]fagus.Range, len(c.intervals))
			for j, in := range c.intervals {
				ranges[j] = a.Range(in.Lo, in.Hi)
			}
			v, err := n.Bind(fmt.Sprintf("array %d, class %d", i, k), ranges...)
			if err != nil {
				return nil, err
			}
			order = append(order, v)
			for _, u := range c.uses {
				if u.rank != n.Rank() {
					continue
				}
				if _, has := wants[u.step][v]; u.writes {
					wants[u.step][v] = want{fagus.Want(v, fagus.Exclusive).Writing(ranges...), true}
				} else if !has {
					wants[u.step][v] = want{fagus.Want(v, fagus.Shared), false}
				}
			}
		}
	}
	p.phases(s, wants, order)
	return s, nil
}

// moves says whether more than one rank has to do with a class: else it is nobody's business.
func (c *class) moves() bool {
	for _, u := range c.uses {
		if u.rank != c.uses[0].rank {
			return true
		}
	}
	return false
}

// phases makes this rank's set of each phase of the plan.
func (p *Plan) phases(s *Shared, wants []map[*fagus.SyncVar]want, order []*fagus.SyncVar) {
	for first := 0; first < len(p.steps); {
		last := first
		for last+1 < len(p.steps) && p.together(first, last+1) {
			last++
		}
		var requests []fagus.Request
		for _, v := range order {
			if r, ok := merged(wants[first:last+1], v); ok {
				requests = append(requests, r)
			}
		}
		one := &phase{set: s.node.Set(requests...), first: first, last: last}
		for range last + 1 - first {
			s.steps = append(s.steps, one)
		}
		first = last + 1
	}
}

// merged is what a rank wants of a variable in steps together: exclusively, if in one of them.
func merged(wants []map[*fagus.SyncVar]want, v *fagus.SyncVar) (r fagus.Request, ok bool) {
	for _, w := range wants {
		if one, has := w[v]; has && (!ok || one.exclusive) {
			r, ok = one.request, true
		}
	}
	return r, ok
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
