package syncvar

import (
	"cmp"
	"slices"
)

// Grant returns, by rank, whether the rank's list is granted in this phase. lists[r] is the list of
// rank r. Only lists of Acquire can be granted, and none behind a Fence that a rank has not called
// yet. The result uses the memory of buf if buf is large
// enough.
func Grant(buf []bool, phase uint64, lists []List) []bool {
	granted := slices.Grow(buf[:0], len(lists))[:len(lists)]
	open := Fenced(lists) == len(lists) // the Fence
	wanting := 0                        // the number of Acquire lists that want a variable
	for r := range lists {
		granted[r] = lists[r].Call == Acquire && (open || !lists[r].Fenced)
		if granted[r] && !lists[r].wantsNothing() {
			wanting++
		}
	}
	if wanting > 1 {
		grantInTurn(granted, phase, lists)
	}
	return granted
}

// grantInTurn withdraws each grant that conflicts with a grant earlier in the order.
func grantInTurn(granted []bool, phase uint64, lists []List) {
	order := make([]int, 0, len(lists))
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
	taken := make(map[ID]Access)
	for _, r := range order {
		if granted[r] = compatible(taken, &lists[r]); granted[r] {
			mark(taken, &lists[r])
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
