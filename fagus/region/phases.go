package region

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// keyOf returns a text that differs for different acquisitions.
func keyOf(all []acquisition) string {
	var key []byte
	for _, a := range all {
		exclusive := uint64(0)
		if a.exclusive {
			exclusive = 1
		}
		key = binary.AppendUvarint(key, uint64(a.step))
		key = binary.AppendUvarint(key, uint64(a.rank)<<1|exclusive)
	}
	return string(key)
}

// latest holds the last step of a kind, and the last one by another rank; -1 if there is none.
type latest struct{ step, rank, other int }

func (l *latest) add(step, rank int) {
	if rank != l.rank {
		l.other, l.rank = l.step, rank
	}
	l.step = step
}

// by returns the last step by another rank.
func (l *latest) by(rank int) int {
	if l.rank == rank {
		return l.other
	}
	return l.step
}

// separate notes in p.apart which steps cannot be in one phase, because one rank writes the class
// in one of them and another rank uses it in the other.
func (p *Plan) separate(c *class) error {
	used, changed := latest{-1, -1, -1}, latest{-1, -1, -1}
	for all := c.uses; len(all) > 0; {
		n, step, writer := 0, all[0].step, -1
		for ; n < len(all) && all[n].step == step; n++ {
			before := changed.by(all[n].rank)
			if all[n].changes() {
				before = max(before, used.by(all[n].rank))
				writer = n
			}
			p.apart[step] = max(p.apart[step], before)
		}
		if n > 1 && writer >= 0 {
			other := all[(writer+1)%n]
			return fmt.Errorf("region: step %d: rank %d writes elements %d to %d of array %d, but rank %d uses them in the same step: divide the step, or give the elements to one rank",
				step, all[writer].rank, c.intervals[0].Lo, c.intervals[0].Hi-1, c.array, other.rank)
		}
		for _, u := range all[:n] {
			used.add(step, u.rank)
			if u.changes() {
				changed.add(step, u.rank)
			}
		}
		all = all[n:]
	}
	return nil
}

// readyFor reports whether step is the output and may join the phase of an earlier step, before:
// in that step only rank 0 writes the arrays that the output reads.
func (p *Plan) readyFor(before, step int) bool {
	for a := range p.arrays {
		if len(p.arrays[a].of(step)) > 0 && slices.ContainsFunc(p.arrays[a].of(before), func(e entry) bool { return e.rank > 0 && e.does.changes() }) {
			return false
		}
	}
	return p.steps[step].output && !p.steps[before].home
}

// of returns the entries of a step.
func (r *record) of(step int) []entry {
	all := r.inOrder()
	at := func(step int) int {
		i, _ := slices.BinarySearchFunc(all, int32(step), func(e entry, s int32) int { return int(e.step) - int(s) })
		return i
	}
	return all[at(step):at(step+1)]
}

// together reports whether the steps from first to step can form one phase: they always follow
// each other, and no rank reads or writes, in step, elements that another rank writes in an
// earlier step of the phase, or the reverse. The steps before step can form a phase.
func (p *Plan) together(first, step int) bool {
	if p.steps[first].virtual || p.steps[step].virtual || p.steps[first].border != p.steps[step].border || p.apart[step] >= first {
		return false
	}
	for s := first; s < step; s++ {
		if p.steps[s].fenced || p.steps[s].home != p.steps[step].home && !p.readyFor(s, step) {
			return false
		}
	}
	return true
}
