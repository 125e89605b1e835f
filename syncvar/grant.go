package syncvar

import (
	"cmp"
	"slices"
)

// Grant says for each rank whether all that its list wants is granted in this
// phase, in room if that is large enough. lists[r] is the list of rank r. Lists of other
// calls than Acquire are never granted.
func Grant(room []bool, phase uint64, lists []List) []bool {
	granted := slices.Grow(room[:0], len(lists))[:len(lists)]
	wanting := 0 // that want something
	for r := range lists {
		granted[r] = lists[r].Call == Acquire
		if granted[r] && !lists[r].wantsNothing() {
			wanting++
		}
	}
	if wanting > 1 {
		grantInTurn(granted, phase, lists)
	}
	return granted
}

// grantInTurn takes grants back that exclude each other.
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
	taken := make(map[ID]Mode)
	for _, r := range order {
		if granted[r] = free(taken, &lists[r]); granted[r] {
			take(taken, &lists[r])
		}
	}
}

func (l *List) wantsNothing() bool { return len(l.Shared)+len(l.Exclusive) == 0 }

// free says whether nothing that l wants was taken in a mode that excludes it.
func free(taken map[ID]Mode, l *List) bool {
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

func take(taken map[ID]Mode, l *List) {
	for _, id := range l.Exclusive {
		taken[id] = Exclusive
	}
	for _, id := range l.Shared {
		taken[id] = Shared
	}
}
