package consistency

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/syncvar"
)

// Rebinding assigns anew the bytes that some variables guard. Space.Rebinding makes one, which is
// valid until the space changes.
type Rebinding struct {
	what   string       // describes the call
	words  []uint64     // for each variable: its ID, the number of its ranges, the ranges
	ids    []syncvar.ID // the variables whose ranges change, in increasing order
	ranges [][]Range    // of ids, by address, merged
}

// Rebinding checks that variable ids[i] may guard ranges[i] from now on. Together the ranges must
// be the bytes that the variables guard now: every byte once, and at least one byte for each
// variable. All ranks must make the same declarations and rebindings in the same order.
func (s *Space) Rebinding(ids []syncvar.ID, ranges [][]Range) (*Rebinding, error) {
	r := &Rebinding{what: fmt.Sprintf("a rebinding of %d variables, the first %s", len(ids), s.firstOf(ids, ranges))}
	var before, after []Range
	for i, id := range ids {
		if len(ranges[i]) == 0 {
			return nil, fmt.Errorf("consistency: rebind %q: no range", s.Name(id))
		}
		for _, part := range ranges[i] {
			if s.Bytes(part) == nil {
				return nil, fmt.Errorf("consistency: rebind %q: [%#x, %#x) is empty or outside every region", s.Name(id), part.Lo, part.Hi)
			}
		}
		before, after = append(before, s.Ranges(id)...), append(after, ranges[i]...)
		r.words = append(append(r.words, uint64(id), uint64(len(ranges[i]))), wordsOf(ranges[i])...)
	}
	after = inOrder(after)
	for i := 1; i < len(after); i++ {
		if after[i-1].Hi > after[i].Lo {
			twice := Range{after[i].Lo, min(after[i-1].Hi, after[i].Hi)}
			return nil, fmt.Errorf("consistency: rebind: %s is in two ranges", s.Describe(twice))
		}
	}
	order := make([]int, len(ids)) // indices of ids, by ID
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(ids[i], ids[j]) })
	for at, i := range order {
		if at > 0 && ids[order[at-1]] == ids[i] {
			return nil, fmt.Errorf("consistency: rebind %q: it is named twice", s.Name(ids[i]))
		}
		if own := merge(inOrder(ranges[i])); !slices.Equal(own, s.Ranges(ids[i])) {
			r.ids, r.ranges = append(r.ids, ids[i]), append(r.ranges, own)
		}
	}
	return r, s.sameBytes(merge(inOrder(before)), merge(after))
}

// firstOf describes the first variable of a rebinding.
func (s *Space) firstOf(ids []syncvar.ID, ranges [][]Range) string {
	if len(ids) == 0 || len(ranges[0]) == 0 {
		return "none"
	}
	return fmt.Sprintf("%q to %d ranges, the first %s", s.Name(ids[0]), len(ranges[0]), s.Describe(ranges[0][0]))
}

// sameBytes returns an error unless both lists, which are merged, contain the same bytes.
func (s *Space) sameBytes(before, after []Range) error {
	for len(before) > 0 || len(after) > 0 {
		switch {
		case len(after) == 0 || len(before) > 0 && before[0].Lo < after[0].Lo:
			lost := before[0]
			if len(after) > 0 {
				lost.Hi = min(lost.Hi, after[0].Lo)
			}
			return fmt.Errorf("consistency: rebind: no variable would guard %s any more", s.Describe(lost))
		case len(before) == 0 || after[0].Lo < before[0].Lo:
			added := after[0]
			if len(before) > 0 {
				added.Hi = min(added.Hi, before[0].Lo)
			}
			return fmt.Errorf("consistency: rebind: none of the variables guards %s so far", s.Describe(added))
		}
		end := min(before[0].Hi, after[0].Hi)
		before, after = skip(before, end), skip(after, end)
	}
	return nil
}

// skip returns ranges without the bytes below end, which is in the first range or at its end.
func skip(ranges []Range, end Addr) []Range {
	if ranges[0].Hi == end {
		return ranges[1:]
	}
	return append([]Range{{end, ranges[0].Hi}}, ranges[1:]...)
}

// Changed returns the variables whose ranges change, in increasing order. The caller must not
// change the result.
func (r *Rebinding) Changed() []syncvar.ID { return r.ids }

// Sources returns the variables whose old ranges contain the new bytes of ids, in increasing
// order. ids are some of Changed.
func (s *Space) Sources(r *Rebinding, ids []syncvar.ID) (sources []syncvar.ID) {
	for _, id := range ids {
		i, _ := slices.BinarySearch(r.ids, id)
		for _, part := range r.ranges[i] {
			for part.Lo < part.Hi {
				b, _ := s.overlap(Range{part.Lo, part.Lo + 1})
				sources = append(sources, b.id)
				part.Lo = b.Hi
			}
		}
	}
	slices.Sort(sources)
	return slices.Compact(sources)
}

// Rebind carries out r, which Rebinding made. It counts as a declaration, even if no range
// changes. The owner of a variable whose ranges change must have current copies of its new bytes.
// In its next tenure it must declare that it writes them all, because Rebind forgets which version
// wrote which bytes. No rank may hold any of the variables.
func (s *Space) Rebind(r *Rebinding) {
	for _, id := range r.ids {
		v := s.copyOf(id)
		if v.writing {
			panic(fmt.Sprintf("consistency: Rebind during an exclusive tenure of %q", v.name))
		}
		s.detector.twins -= len(v.twin.copy)
		*v = copyState{}
	}
	s.redeclare(r.what, r.words, func(c *Catalogue) {
		for _, id := range r.ids {
			for _, part := range c.vars[id].ranges {
				c.bindings.remove(part)
			}
		}
		for i, id := range r.ids {
			c.rebind(id, r.ranges[i])
		}
	})
}
