package region

import (
	"cmp"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
)

// change is what a Rebind must do.
type change struct {
	bindings []fagus.Binding
	idle     []*atom         // without elements afterwards
	adopted  []fagus.Request // of the atoms that this rank adopts
	adopts   bool            // some rank adopts an atom
}

// adopt makes a rank the owner of an atom of a resident array, before a Rebind gives elements to
// the atom. It chooses a rank that has them, because the owner fetches what it lacks.
func (s *store) adopt(a *atom, b *block, of []Interval, c *change) {
	if b.stays == nil {
		return
	}
	c.adopts = true
	if b.stays.first(of[0].Lo/b.size) == s.node.Rank() {
		c.adopted = append(c.adopted, a.v.Write().Reporting())
	}
}

// divide changes the atoms of a block so that each belongs to one group, or to none. groups are the
// bytes of each group, disjoint. It adds what a Rebind must do to c, and returns the atoms whose
// ranges change.
//
// A block that has many atoms is divided anew, so that the number of variables stays bounded
// whatever plans have divided it before.
func (s *store) divide(b *block, groups [][]Interval, c *change) (changed []*atom, err error) {
	if len(b.atoms) == 0 {
		for _, of := range groups {
			if err := s.guard(b, of); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	parts := overlay(flat(b.bytes()), flat(groups))
	if slices.ContainsFunc(parts, func(p *overlaid) bool { return p.atom < 0 }) {
		// A Rebind can only give an atom what others guard, so from now on all bytes are guarded.
		if err := s.guard(b, minus([]Interval{{0, b.array.Len()}}, merged(slices.Concat(b.bytes()...)))); err != nil {
			return nil, err
		}
		parts = overlay(flat(b.bytes()), flat(groups))
	}
	least := 2*len(groups) + 8
	// Where an atom gets elements of several ranks, its owner fetches them, and then the other
	// ranks fetch it: this moves a resident array many times.
	if b.stays != nil {
		least = max(least, 64+8*s.node.Nodes())
	}
	anew := len(parts) > max(b.most, least)
	keeper := keepers(parts, len(b.atoms), len(groups), anew)
	atoms := b.atoms
	now := make([][]Interval, len(atoms)) // by atom: what it guards afterwards
	for _, p := range parts {
		k := keeper[p]
		if k < 0 {
			a, err := s.atom()
			if err != nil {
				return nil, err
			}
			s.adopt(a, b, p.of, c)
			k = len(atoms)
			atoms, now = append(atoms, a), append(now, nil)
			if anew {
				for _, q := range parts { // its other parts
					if q.group == p.group {
						keeper[q] = k
					}
				}
			}
		}
		now[k] = append(now[k], p.of...)
	}
	b.atoms = nil
	for i, a := range atoms {
		now[i] = merged(now[i])
		if !slices.Equal(a.of, now[i]) {
			a.of, changed = now[i], append(changed, a)
			c.bindings = append(c.bindings, a.binding(b))
		}
		if len(a.of) == 0 {
			c.idle = append(c.idle, a)
		} else {
			b.atoms = append(b.atoms, a)
		}
	}
	if anew {
		most := mostAtoms
		if b.stays != nil {
			most = mostStaying
		}
		b.most = max(64, min(2*b.most, most))
	}
	if len(changed) > 0 {
		b.epoch++
	}
	return changed, nil
}

// guard adds an atom of bytes that no variable guards so far.
func (s *store) guard(b *block, of []Interval) error {
	if len(of) == 0 {
		return nil
	}
	a, err := s.atom((&atom{of: of}).ranges(b)...)
	if err != nil {
		return err
	}
	a.of, b.atoms = of, append(b.atoms, a)
	b.epoch++
	return nil
}

// bytes returns the bytes of each atom.
func (b *block) bytes() [][]Interval {
	all := make([][]Interval, len(b.atoms))
	for i, a := range b.atoms {
		all[i] = a.of
	}
	return all
}

// keepers returns the number of the atom that keeps each part, or -1 for a new one. An atom keeps
// its largest part. If the block is divided anew, each group, and the rest, has one atom: the one
// with most of its bytes that keeps nothing else.
func keepers(parts []*overlaid, atoms, groups int, anew bool) map[*overlaid]int {
	keeper := make(map[*overlaid]int)
	keeps := make([]bool, atoms)
	has := make([]int, groups+1) // by group, the last for none: its atom, plus 1
	bySize := slices.Clone(parts)
	slices.SortStableFunc(bySize, func(a, b *overlaid) int { return cmp.Compare(b.bytes, a.bytes) })
	of := func(p *overlaid) *int {
		if p.group < 0 {
			return &has[groups]
		}
		return &has[p.group]
	}
	for _, p := range bySize {
		keeper[p] = -1
		if !keeps[p.atom] && (!anew || *of(p) == 0) {
			keeper[p], keeps[p.atom] = p.atom, true
			*of(p) = p.atom + 1
		}
	}
	if anew {
		for _, p := range parts {
			keeper[p] = *of(p) - 1
		}
	}
	return keeper
}

// fit divides the blocks of a program so that every atom belongs to one group, and returns the
// atoms of each group. It is collective.
func (s *store) fit(k *known) ([]guards, error) {
	if err := s.save(k.blocks); err != nil {
		return nil, err
	}
	var c change
	var settle []fagus.Request
	all := make([]guards, len(k.groups))
	for i, b := range k.blocks {
		groups := make([][]Interval, len(k.groups))
		for g, group := range k.groups {
			for _, p := range group.parts {
				if p.array == i {
					groups[g] = scaled(p.intervals, k.sizes[i])
				}
			}
		}
		used := slices.ContainsFunc(groups, func(of []Interval) bool { return len(of) > 0 })
		if !used || k.quiet && len(b.atoms) == 0 {
			continue
		}
		changed, err := s.divide(b, groups, &c)
		if err != nil {
			return nil, err
		}
		if b.stays != nil {
			settle = append(settle, s.stale(b, changed, k.sizes[i])...)
		}
		at := flat(groups)
		for _, a := range b.atoms {
			j, found := slices.BinarySearchFunc(at, a.of[0].Lo, func(o owned, lo int) int {
				switch {
				case o.Hi <= lo:
					return -1
				case o.Lo > lo:
					return 1
				}
				return 0
			})
			if found {
				all[at[j].of] = append(all[at[j].of], guard{a.v, a.ranges(b)})
			}
		}
	}
	if len(c.bindings) == 0 {
		return all, nil
	}
	if c.adopts {
		if err := s.node.Set(c.adopted...).Do(func() {}); err != nil {
			return nil, err
		}
		if err := s.node.Fence(); err != nil {
			return nil, err
		}
	}
	if err := s.node.Rebind(c.bindings...); err != nil {
		return nil, err
	}
	s.idle = append(s.idle, c.idle...)
	// After a Rebind only the owners have the newest versions. Ranks that have current copies of a
	// resident array must not get these versions later, when they have written newer data.
	if err := s.node.Set(settle...).Do(func() {}); err != nil {
		return nil, err
	}
	return all, s.node.Fence()
}

// stale returns requests for the changed atoms of a resident array that are current on this rank.
func (s *store) stale(b *block, changed []*atom, size int) (all []fagus.Request) {
	var current []Interval
	for _, v := range b.stays.validity {
		if v.ranks.has(s.node.Rank()) {
			current = append(current, Interval{v.Lo * size, v.Hi * size})
		}
	}
	for _, a := range changed {
		if meet(a.of, current) {
			all = append(all, a.v.Read())
		}
	}
	return all
}

// scaled returns intervals of elements as intervals of bytes.
func scaled(elements []Interval, size int) []Interval {
	all := slices.Clone(elements)
	for i := range all {
		all[i].Lo, all[i].Hi = all[i].Lo*size, all[i].Hi*size
	}
	return all
}
