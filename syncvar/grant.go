package syncvar

import (
	"cmp"
	"slices"
)

// Grant says for each rank whether all that its list wants is granted in this
// phase. lists[r] is the list of rank r. Lists of other calls than Acquire are
// never granted.
func Grant(phase uint64, lists []List) []bool {
	granted := make([]bool, len(lists))
	order := make([]int, 0, len(lists))
	for r := range lists {
		if lists[r].Call != Acquire {
			continue
		}
		granted[r] = len(lists[r].Shared)+len(lists[r].Exclusive) == 0
		if !granted[r] {
			order = append(order, r)
		}
	}
	if len(order) == 1 { // as in every turn of two ranks
		granted[order[0]] = true
	}
	if len(order) < 2 {
		return granted
	}
	n := uint64(len(lists))
	turn := func(r int) uint64 { return (uint64(r) + n - phase%n) % n }
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(lists[a].Since, lists[b].Since), cmp.Compare(turn(a), turn(b)))
	})
	taken := make(map[ID]Mode)
	for _, r := range order {
		if free(taken, &lists[r]) {
			granted[r] = true
			take(taken, &lists[r])
		}
	}
	return granted
}

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
