package syncvar

import (
	"cmp"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Denial says why a list was not granted in a phase: Holder was granted ID, which conflicts with
// Access.
type Denial struct {
	ID     ID
	Access Access // the access that was denied
	Holder dimmnet.Rank
}

// Conflict returns why Grant did not grant the list of a rank. ok is false if no grant of the
// phase conflicts with the list: it is behind a Fence, or the phase grants nothing.
func Conflict(lists []List, granted []bool, rank dimmnet.Rank) (d Denial, ok bool) {
	own := &lists[rank]
	for r := range lists {
		if !granted[r] || dimmnet.Rank(r) == rank {
			continue
		}
		l := &lists[r]
		if id, ok := common(own.Exclusive, l.Exclusive); ok {
			return Denial{id, Exclusive, dimmnet.Rank(r)}, true
		}
		if id, ok := common(own.Exclusive, l.Shared); ok {
			return Denial{id, Exclusive, dimmnet.Rank(r)}, true
		}
		if id, ok := common(own.Shared, l.Exclusive); ok {
			return Denial{id, Shared, dimmnet.Rank(r)}, true
		}
	}
	return Denial{}, false
}

// common returns the first ID that two increasing lists share.
func common(a, b []ID) (id ID, ok bool) {
	if len(b) < len(a) {
		a, b = b, a
	}
	for _, id := range a {
		i, found := slices.BinarySearch(b, id)
		if found {
			return id, true
		}
		b = b[i:]
	}
	return 0, false
}

// Apart reports whether the first and last variables of the lists show that no two lists conflict.
// It looks at no other names.
func Apart(lists []List) bool {
	type span struct {
		lo, hi ID
		access Access
	}
	var spans []span
	for i := range lists {
		if ids := lists[i].Exclusive; len(ids) > 0 {
			spans = append(spans, span{ids[0], ids[len(ids)-1], Exclusive})
		}
		if ids := lists[i].Shared; len(ids) > 0 {
			spans = append(spans, span{ids[0], ids[len(ids)-1], Shared})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	any, exclusive := -1, -1 // the last variables of all spans so far, and of exclusive ones
	for _, s := range spans {
		if int(s.lo) <= exclusive || s.access == Exclusive && int(s.lo) <= any {
			return false
		}
		if any = max(any, int(s.hi)); s.access == Exclusive {
			exclusive = any
		}
	}
	return true
}

// Span returns the first and the last variable that a list names; ok is false if it names none.
func (l *List) Span() (lo, hi ID, ok bool) {
	for _, ids := range [...][]ID{l.Shared, l.Exclusive, l.Clean} {
		if len(ids) == 0 {
			continue
		}
		if first, last := ids[0], ids[len(ids)-1]; !ok {
			lo, hi, ok = first, last, true
		} else {
			lo, hi = min(lo, first), max(hi, last)
		}
	}
	return lo, hi, ok
}
