package region

import (
	"encoding/binary"
	"slices"
)

// validity says which ranks have current copies of the elements of an array between two plans. The
// intervals are sorted and disjoint. All other ranks, and all ranks for elements in no interval,
// must acquire the variables of the elements before they use them.
type validity []valid

type valid struct {
	Interval
	ranks ranks
	// unsaved is the only rank that has the contents, plus 1: no exclusive tenure has saved them
	// yet. 0: the newest version of some variable has them.
	unsaved int
}

// state is a validity with a number, which stands for it in the keys of plans.
type state struct {
	validity
	// exact says that no other rank can have used the elements since they were written.
	exact  bool
	number int
}

// everyone is the validity of an array that has the same contents on all ranks.
func everyone(nodes, length int) validity {
	v := valid{Interval: Interval{0, length}, ranks: make(ranks, (nodes+63)/64)}
	for r := range nodes {
		v.ranks.set(r, true)
	}
	return validity{v}
}

// only is the validity of an array of which one rank has the contents.
func only(rank, nodes, length int) validity {
	v := valid{Interval: Interval{0, length}, ranks: make(ranks, (nodes+63)/64)}
	v.ranks.set(rank, true)
	return validity{v}
}

// entry adds the first step of a plan whose arrays may stay from call to call. states has the state
// of each array, nil for those that do not stay.
func (p *Plan) entry(states []*state) {
	p.call, p.states = true, states
	s := p.Step()
	p.steps[s].virtual = true
	for i := range states {
		if !p.stays(i) {
			continue
		}
		for _, v := range states[i].validity {
			for rank := range p.nodes {
				if v.ranks.has(rank) {
					p.Reads(s, rank, i).Add(v.Lo, v.Hi)
				}
			}
			if v.unsaved > 0 {
				p.Writes(s, v.unsaved-1, i).Add(v.Lo, v.Hi)
			}
		}
	}
}

// exit adds the last step of such a plan: any rank may use the arrays that stay afterwards.
func (p *Plan) exit() {
	s := p.Step()
	p.steps[s].virtual = true
	for i := range p.arrays {
		for rank := range p.nodes {
			if p.stays(i) {
				p.Reads(s, rank, i).Add(0, p.arrays[i].length)
			}
		}
	}
}

// stays reports whether an array stays from call to call.
func (p *Plan) stays(array int) bool { return p.states != nil && p.states[array] != nil }

// left returns the validity of a class after its last use in a plan with an exit, which is the last
// point, and whether it is exact.
func (f *flow) left(c *class, used []ranks) (all validity, exact bool) {
	last := len(f.points) - 1
	current := f.none()
	for r := range f.nodes {
		current.set(r, !f.points[last].stale.has(r))
	}
	for _, in := range c.intervals {
		all = append(all, valid{Interval: in, ranks: current})
	}
	return all, slices.Equal(current, used[last])
}

// used returns for each point which ranks may have used the class before, since another rank has
// written it. all says that all ranks may have done so at the begin.
func (f *flow) used(spans []span, all bool) []ranks {
	used := make([]ranks, len(f.points))
	for i := range used {
		used[i] = f.none()
	}
	if all {
		for _, i := range f.next(-1, spans) {
			for r := range f.nodes {
				used[i].set(r, true)
			}
		}
	}
	for more := true; more; {
		more = false
		for i, p := range f.points {
			out := slices.Clone(used[i])
			if slices.ContainsFunc(p.uses, use.changes) {
				clear(out)
			}
			for _, u := range p.uses {
				out.set(u.rank, true)
			}
			for _, j := range p.after {
				more = used[j].add(out) || more
			}
		}
	}
	return used
}

// first returns the first rank that has a current copy of an element; 0 if none is known.
func (v validity) first(element int) int {
	i, found := slices.BinarySearchFunc(v, element, func(x valid, at int) int {
		switch {
		case x.Hi <= at:
			return -1
		case x.Lo > at:
			return 1
		}
		return 0
	})
	for r := 0; found && r < 64*len(v[i].ranks); r++ {
		if v[i].ranks.has(r) {
			return r
		}
	}
	return 0
}

// save says that a rank has unsaved contents of the elements of a group.
func (v validity) save(elements []Interval, rank int) {
	for i := range v {
		if meet([]Interval{v[i].Interval}, elements) {
			v[i].unsaved = rank + 1
		}
	}
}

// normal sorts v, and joins neighbours with the same ranks.
func (v validity) normal() (all validity) {
	slices.SortFunc(v, func(a, b valid) int { return byLo(a.Interval, b.Interval) })
	for _, x := range v {
		if n := len(all); n > 0 && all[n-1].Hi == x.Lo && all[n-1].unsaved == x.unsaved && slices.Equal(all[n-1].ranks, x.ranks) {
			all[n-1].Hi = x.Hi
			continue
		}
		all = append(all, x)
	}
	return all
}

// key returns a text that differs for different validities.
func (v validity) key() string {
	var b []byte
	for _, x := range v {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(x.Lo)), uint64(x.Hi))
		b = binary.AppendUvarint(b, uint64(x.unsaved))
		for _, w := range x.ranks {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
	}
	return string(b)
}
