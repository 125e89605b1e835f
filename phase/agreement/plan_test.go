package agreement

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/syncvar"
)

// randomLists returns random lists of all ranks for a phase. held[r] are the variables that rank r
// held exclusively before; the list names some of them as clean.
func randomLists(random *rand.Rand, ranks, vars int, number uint64, held [][]syncvar.ID) []syncvar.List {
	lists := make([]syncvar.List, ranks)
	all := syncvar.Acquire
	if random.IntN(4) == 0 {
		all = syncvar.Update
	}
	for r := range lists {
		l := &lists[r]
		l.Call, l.Phase, l.Since = all, number, number-random.Uint64N(min(number, 3)+1)
		for _, id := range held[r] {
			if random.IntN(3) == 0 {
				l.Clean = append(l.Clean, id)
			}
		}
		for id := range syncvar.ID(vars) {
			switch random.IntN(5) {
			case 0:
				if all == syncvar.Acquire {
					l.Shared = append(l.Shared, id)
				}
			case 1:
				if all == syncvar.Acquire {
					l.Exclusive = append(l.Exclusive, id)
				}
			}
		}
	}
	return lists
}

// TestPlansAreTheSameEverywhere keeps a table for every rank through many phases. All ranks
// derive the same plan and table, planning changes no table, and the sender of every transfer has
// the data.
func TestPlansAreTheSameEverywhere(t *testing.T) {
	longtest.OneThread(t)
	const ranks, vars = 7, 5
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 0))
		tables := make([]syncvar.Table, ranks)
		held := make([][]syncvar.ID, ranks)
		for number := range uint64(30) {
			lists := randomLists(random, ranks, vars, number, held)
			var first Plan
			for r := range tables {
				table := &tables[r]
				if err := table.Settle(lists); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				before := table.String()
				plan, err := newPlan(number, lists, table)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if table.String() != before {
					t.Fatalf("seed %d: planning changed the table from\n%sto\n%s", seed, before, table)
				}
				if r == 0 {
					first = plan
					checkSources(t, seed, plan, table)
				} else if !reflect.DeepEqual(plan, first) {
					t.Fatalf("seed %d, phase %d: rank 0 plans %+v, rank %d %+v", seed, number, first, r, plan)
				}
			}
			for r := range tables {
				if first.Complete == syncvar.Update {
					tables[r].ApplyUpdate()
				}
				tables[r].Apply(lists, first.Granted)
				held[r] = nil
				if first.Granted[r] {
					held[r] = lists[r].Exclusive
				}
				if tables[r].String() != tables[0].String() {
					t.Fatalf("seed %d: tables differ:\n%s\n%s", seed, &tables[0], &tables[r])
				}
			}
		}
	}
}

// checkSources checks that each transfer, in order, comes from a rank that has the data.
func checkSources(t *testing.T, seed uint64, plan Plan, table *syncvar.Table) {
	t.Helper()
	type copyOf struct {
		id   syncvar.ID
		rank dimmnet.Rank
	}
	since := make(map[copyOf]syncvar.Version)
	for _, tr := range plan.Transfers {
		if tr.From == tr.To {
			t.Fatalf("seed %d: invalid transfer %+v", seed, tr)
		}
		if owner := table.State(tr.ID).Owner; !tr.Relay && tr.From != owner {
			t.Fatalf("seed %d: %+v, but rank %d is the owner", seed, tr, owner)
		}
		if had, ok := since[copyOf{tr.ID, tr.From}]; tr.Relay && (!ok || had != tr.Since) {
			t.Fatalf("seed %d: %+v passes on data that its sender does not receive", seed, tr)
		}
		if _, twice := since[copyOf{tr.ID, tr.To}]; twice {
			t.Fatalf("seed %d: %+v occurs twice", seed, tr)
		}
		since[copyOf{tr.ID, tr.To}] = tr.Since
	}
}

// newPlan returns the plan of a phase, with transfers from table.
func newPlan(phase uint64, lists []syncvar.List, table *syncvar.Table) (Plan, error) {
	var p Plan
	err := p.Derive(nil, phase, lists, table)
	return p, err
}
