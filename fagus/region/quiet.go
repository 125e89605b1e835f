package region

import (
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
)

// busy sets busy for the steps that must be in a phase because of a class: a rank needs data, or
// changes elements that another rank may just have used. used is the result of used. In all other
// steps ranks only save what they write, which can wait for a phase that takes place anyway.
func (f *flow) busy(used []ranks, acquired []acquisition, stays bool, busy []bool) {
	for i, p := range f.points {
		for _, u := range p.uses {
			for r := range f.nodes {
				busy[p.step] = busy[p.step] || u.changes() && r != u.rank && used[i].has(r)
			}
		}
		busy[p.step] = busy[p.step] || p.from >= 0
		for _, a := range acquired {
			if a.step == p.step {
				busy[p.step] = busy[p.step] || !stays || p.stale.has(a.rank)
			}
		}
	}
}

// saving is a group of which a rank has contents that it must save.
type saving struct{ group, rank int }

// quieten removes needless phases from the plan of a rank. Ranks then save their contents in the
// next phase, or in an earlier one if another rank wants them in the next. quieten returns what is
// unsaved at the end, and whether the first step must be executed, because the phases of spans may
// be skipped.
func (p *Plan) quieten(rank int, steps []*phase, d *demand) (unsaved []saving, begins bool) {
	byStep := make([][]saving, len(p.steps))
	for i, g := range d.groups {
		for _, a := range g.acquired {
			byStep[a.step] = append(byStep[a.step], saving{i, a.rank})
		}
	}
	if d.busy == nil {
		return nil, len(byStep[0]) > 0
	}
	for first := 0; first < len(steps); {
		one := steps[first]
		here := slices.Concat(byStep[first : one.last+1]...)
		quiet := true
		for s := first; s <= one.last; s++ {
			quiet = quiet && (p.steps[s].virtual || !d.busy[s] && !p.steps[s].home)
		}
		first = one.last + 1
		if quiet {
			one.quiet, one.wants = true, nil
			for _, s := range here {
				if !slices.Contains(unsaved, s) {
					unsaved = append(unsaved, s)
				}
			}
			continue
		}
		to := one
		if slices.ContainsFunc(unsaved, func(u saving) bool {
			return slices.ContainsFunc(here, func(s saving) bool { return s.group == u.group && s.rank != u.rank })
		}) {
			one.before = &phase{}
			to = one.before
		}
		for _, u := range unsaved {
			if u.rank == rank {
				to.want(want{u.group, true})
			}
		}
		unsaved = nil
	}
	return unsaved, false
}

// want adds a want to a phase.
func (one *phase) want(w want) {
	for i := range one.wants {
		if one.wants[i].group == w.group {
			one.wants[i].exclusive = one.wants[i].exclusive || w.exclusive
			return
		}
	}
	one.wants = append(one.wants, w)
}

// save saves the unsaved contents of resident arrays on all ranks, before a Rebind.
func (s *store) save(blocks []*block) error {
	var requests []fagus.Request
	unsaved := false
	for i, b := range blocks {
		if b.stays == nil || len(b.atoms) == 0 || slices.Contains(blocks[:i], b) {
			continue
		}
		var own []Interval
		for _, v := range b.stays.validity {
			unsaved = unsaved || v.unsaved > 0
			if v.unsaved == s.node.Rank()+1 {
				own = append(own, Interval{v.Lo * b.size, v.Hi * b.size})
			}
		}
		for _, a := range b.atoms {
			if meet(a.of, own) {
				requests = append(requests, a.v.Write().Writing(a.ranges(b)...))
			}
		}
	}
	if !unsaved {
		return nil
	}
	if err := s.node.Set(requests...).Do(func() {}); err != nil {
		return err
	}
	return s.node.Fence()
}
