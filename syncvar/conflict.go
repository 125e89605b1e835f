package syncvar

import (
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

// Denied returns why Grant has not granted the list of a rank. ok is false if no grant of the phase
// conflicts with the list: it is behind a Fence, or the phase grants nothing.
func Denied(lists []List, granted []bool, rank dimmnet.Rank) (d Denial, ok bool) {
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
