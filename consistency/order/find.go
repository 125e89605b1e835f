package order

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/fagus-dsm/fagus/syncvar"
)

// Race is a pair of tenures of one variable that no rule orders.
type Race struct {
	Var    syncvar.ID
	Ranks  [2]int
	Access [2]syncvar.Access
	Lines  [2]string // of the Acquire calls
}

// Text returns the race as a sentence, with the name of the variable and the remedy.
func (r *Race) Text(name string) string {
	return fmt.Sprintf("%q: nothing but the order of phases separates the tenures of rank %d (%v, acquired at %s) and rank %d (%v, at %s): in threaded mode either may come first; put a Fence between them or, if the program is right in either order, request both with Unordered",
		name, r.Ranks[0], r.Access[0], r.Lines[0], r.Ranks[1], r.Access[1], r.Lines[1])
}

// Find returns a race in what the ranks did, or nil. It looks at the meetings that all logs have.
// It returns a race between the earliest meetings, of the variable that was bound first.
func Find(logs []Log) *Race {
	end := math.MaxInt // all logs are complete before this meeting
	for _, l := range logs {
		if l.Full >= 0 {
			end = min(end, l.Full)
		}
	}
	at := make([]int, len(logs)) // by rank: the first tenure not yet looked at
	for {
		meeting, any := 0, false
		for r, l := range logs {
			if at[r] < len(l.Tenures) && (!any || l.Tenures[at[r]].Meeting < meeting) {
				meeting, any = l.Tenures[at[r]].Meeting, true
			}
		}
		if !any || meeting >= end {
			return nil
		}
		between := make([][]Record, len(logs))
		for r, l := range logs {
			next := at[r]
			for next < len(l.Tenures) && l.Tenures[next].Meeting == meeting {
				next++
			}
			between[r], at[r] = l.Tenures[at[r]:next], next
		}
		if race := findBetween(logs, between); race != nil {
			return race
		}
	}
}

// findBetween returns a race in what the ranks did between two meetings, or nil.
func findBetween(logs []Log, between [][]Record) *Race {
	all := place(between)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if a, b, found := findPair(all[id], len(logs)); found {
			race := &Race{Var: id}
			for i, t := range [2]placed{a, b} {
				race.Ranks[i], race.Lines[i] = t.rank, logs[t.rank].Lines[t.Line]
				race.Access[i] = syncvar.Shared
				if t.Exclusive {
					race.Access[i] = syncvar.Exclusive
				}
			}
			return race
		}
	}
	return nil
}

// findPair returns two tenures of one variable that conflict, and neither of which precedes the
// other.
func findPair(all []placed, ranks int) (a, b placed, found bool) {
	const kinds = 4
	kind := func(exclusive, unordered bool) (k int) {
		if exclusive {
			k |= 1
		}
		if unordered {
			k |= 2
		}
		return k
	}
	lists := make([][kinds][]placed, ranks) // by rank and kind, each in the rank's order
	for _, t := range all {
		of := &lists[t.rank][kind(t.Exclusive, t.Unordered)]
		*of = append(*of, t)
	}
	for _, t := range all {
		for rank := range lists {
			if rank == t.rank {
				continue
			}
			for k, list := range lists[rank] {
				exclusive, unordered := k&1 != 0, k&2 != 0
				if !(exclusive || t.Exclusive) || unordered && t.Unordered {
					continue
				}
				// The tenures before first precede t. If t precedes list[first], it precedes all
				// later ones.
				first := 0
				if t.known != nil {
					first = sort.Search(len(list), func(i int) bool { return !list[i].before(t) })
				}
				if first < len(list) && !t.before(list[first]) {
					return t, list[first], true
				}
			}
		}
	}
	return a, b, false
}
