package syncvar

import (
	"cmp"
	"slices"
)

// Granting is memory for Grant, so that repeated calls do not allocate.
type Granting struct {
	granted []bool
	order   []int
	taken   map[ID]Access
}

// Grant returns, by rank, whether the rank's list is granted in this phase. lists[r] is the list of
// rank r. Only lists of Acquire can be granted: none behind a Fence that a rank has not called yet,
// and none that awaits a change. The result is valid until m is used again; m may be nil.
func Grant(m *Granting, phase uint64, lists []List) []bool {
	if m == nil {
		m = new(Granting)
	}
	granted := slices.Grow(m.granted[:0], len(lists))[:len(lists)]
	m.granted = granted
	open := Fenced(lists) == len(lists) // the Fence
	wanting := 0                        // the number of Acquire lists that want a variable
	for r := range lists {
		granted[r] = lists[r].Call == Acquire && len(lists[r].Awaits) == 0 && (open || !lists[r].Fenced)
		if granted[r] && !lists[r].wantsNothing() {
			wanting++
		}
	}
	if wanting > 1 && !(wanting > fewWanting && Apart(lists)) {
		m.grantInTurn(phase, lists)
	}
	return granted
}

// fewWanting is the number of lists up to which looking at all names is faster than Apart.
const fewWanting = 8

// grantInTurn withdraws each grant that conflicts with a grant earlier in the order.
func (m *Granting) grantInTurn(phase uint64, lists []List) {
	granted, order := m.granted, m.order[:0]
	for r := range lists {
		if granted[r] && !lists[r].wantsNothing() {
			order = append(order, r)
		}
	}
	n := uint64(len(lists))
	turn := func(r int) uint64 { return (uint64(r) + n - phase%n) % n }
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(lists[a].Since, lists[b].Since), cmp.Compare(turn(a), turn(b)))
	})
	if m.order = order; m.taken == nil {
		m.taken = make(map[ID]Access)
	}
	clear(m.taken)
	for _, r := range order {
		if granted[r] = compatible(m.taken, &lists[r]); granted[r] {
			mark(m.taken, &lists[r])
		}
	}
}

func (l *List) wantsNothing() bool { return len(l.Shared)+len(l.Exclusive) == 0 }

func compatible(taken map[ID]Access, l *List) bool {
	for _, id := range l.Exclusive {
		if taken[id] != 0 {
			return false
		}
	}
	for _, id := range l.Shared {
		if taken[id] == Exclusive {
			return false
		}
	}
	return true
}

func mark(taken map[ID]Access, l *List) {
	for _, id := range l.Exclusive {
		taken[id] = Exclusive
	}
	for _, id := range l.Shared {
		taken[id] = Shared
	}
}
