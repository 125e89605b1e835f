package tree

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/phase/agreement"
	"github.com/fagus-dsm/fagus/phase/movement"
	"github.com/fagus-dsm/fagus/syncvar"
)

// someWants returns the lists of ranks that want some variables each, mostly for reading.
func someWants(random *rand.Rand, ranks, vars int, number uint64) []syncvar.List {
	lists := make([]syncvar.List, ranks)
	for r := range lists {
		lists[r] = syncvar.List{Call: syncvar.Acquire, Phase: number, Since: number}
		for id := range syncvar.ID(vars) {
			switch random.IntN(6) {
			case 0, 1:
				lists[r].Shared = append(lists[r].Shared, id)
			case 2:
				if random.IntN(ranks) == 0 {
					lists[r].Exclusive = append(lists[r].Exclusive, id)
				}
			}
		}
	}
	return lists
}

// TestPartialPhasesEnd lets ranks with few words repeat their lists until the lists are granted.
// Every phase moves some data. The last phase has the same plan as with many words.
func TestPartialPhasesEnd(t *testing.T) {
	partial := 0
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		ranks, vars := 2+random.IntN(20), 1+random.IntN(30)
		var table syncvar.Table
		fill := make([]syncvar.List, ranks)
		for r := range fill {
			fill[r].Call = syncvar.Acquire
		}
		for id := range syncvar.ID(vars) {
			r := random.IntN(ranks)
			fill[r].Exclusive = append(fill[r].Exclusive, id)
		}
		table.Apply(fill, syncvar.Grant(nil, 0, fill))
		lists := someWants(random, ranks, vars, 1)
		for r := range lists {
			lists[r].Since = 1
		}
		for number := uint64(1); ; number++ {
			if err := table.Settle(lists); err != nil {
				t.Fatal(err)
			}
			var whole agreement.Plan
			if err := whole.Derive(nil, number, lists, &table); err != nil {
				t.Fatal(err)
			}
			trees, rest := movement.NewMulticasts(whole.Transfers, 2, 0)
			if len(rest) == 0 {
				break
			}
			plan := only(trees, ranks)
			partial++
			if len(plan.Transfers) == 0 || len(plan.Transfers) >= len(whole.Transfers) || slices.Contains(plan.Granted, true) || plan.Complete != 0 {
				t.Fatalf("seed %d: %+v is not a part of %+v", seed, plan, whole)
			}
			table.ApplyPart(plan.Transfers)
		}
	}
	if partial < 200 {
		t.Errorf("only %d partial phases", partial)
	}
}
