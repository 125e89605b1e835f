package phase

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// someWants are the lists of ranks of which each wants some variables, mostly to
// read.
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

// TestCastsAreThePlan takes the plans of random runs apart into casts: they
// hold every transfer once, and every hop has a number of its own at both ends.
func TestCastsAreThePlan(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 0))
		ranks, vars, words := 2+random.IntN(12), 1+random.IntN(12), 2+random.IntN(9)
		var table syncvar.Table
		for number := range uint64(20) {
			lists := someWants(random, ranks, vars, number)
			if err := table.Settle(lists); err != nil {
				t.Fatal(err)
			}
			plan, err := NewPlan(number, lists, &table)
			if err != nil {
				t.Fatal(err)
			}
			casts, rest := newCasts(plan.Transfers, words)
			checkCasts(t, seed, plan.Transfers, slices.Concat(casts, rest))
			checkNumbers(t, seed, casts, words)
			if again, _ := newCasts(plan.Transfers, words); !reflect.DeepEqual(again, casts) {
				t.Fatalf("seed %d: casts %+v, and then %+v", seed, casts, again)
			}
			table.Apply(lists, plan.Granted)
		}
	}
}

func checkCasts(t *testing.T, seed uint64, transfers []syncvar.Transfer, casts []cast) {
	t.Helper()
	type move struct {
		source
		from, to dimmnet.Rank
	}
	due := make(map[move]bool)
	for _, tr := range transfers {
		due[move{source{tr.ID, tr.Since}, tr.From, tr.To}] = true
	}
	for _, c := range casts {
		has := map[dimmnet.Rank]bool{c.edges[0].from: true}
		for _, e := range c.edges {
			if !has[e.from] || has[e.to] {
				t.Fatalf("seed %d: rank %d passes on to %d in %+v", seed, e.from, e.to, c)
			}
			has[e.to] = true
			for _, item := range c.items {
				m := move{item, e.from, e.to}
				if !due[m] {
					t.Fatalf("seed %d: %+v is not due, or comes twice", seed, m)
				}
				delete(due, m)
			}
		}
	}
	if len(due) > 0 {
		t.Fatalf("seed %d: no cast does %+v", seed, due)
	}
}

func checkNumbers(t *testing.T, seed uint64, casts []cast, words int) {
	t.Helper()
	type end struct {
		at     dimmnet.Rank
		in     bool
		number int
	}
	used := make(map[end]bool)
	for _, c := range casts {
		for _, e := range c.edges {
			for _, x := range []end{{e.from, false, e.out}, {e.to, true, e.in}} {
				if used[x] || x.number < 0 || x.number >= words {
					t.Fatalf("seed %d: of %d words, %+v is used twice or not there", seed, words, x)
				}
				used[x] = true
			}
		}
	}
}

// TestTreeKeys: trees that differ in one bit of a rank have different keys.
func TestTreeKeys(t *testing.T) {
	seen := map[string]int{treeKey([]syncvar.Transfer{{From: 0, To: 0}}): -1}
	for bit := range 16 {
		for _, tr := range []syncvar.Transfer{{From: 1 << bit}, {To: 1 << bit}} {
			key := treeKey([]syncvar.Transfer{tr})
			if other, ok := seen[key]; ok {
				t.Errorf("%+v has the key of a tree with bit %d", tr, other)
			}
			seen[key] = bit
		}
	}
}

// TestNoNumbersForTheRest: a cast that finds no number for a hop takes none.
func TestNoNumbersForTheRest(t *testing.T) {
	count := counter{words: 2, out: make(map[dimmnet.Rank]int), in: make(map[dimmnet.Rank]int)}
	if count.number([]edge{{from: 0, to: 1}, {from: 1, to: 2}, {from: 1, to: 3}, {from: 1, to: 4}}) {
		t.Fatal("rank 1 has two words for three hops")
	}
	for i := range 2 {
		edges := []edge{{from: 0, to: 1}, {from: 1, to: 2}}
		if !count.number(edges) || edges[0].out != i || edges[0].in != i || edges[1].out != i || edges[1].in != i {
			t.Errorf("cast %d has %+v", i, edges)
		}
	}
}

// TestPartialPhasesEnd lets ranks want the same until they have it, with few
// words: every phase brings something, and then all is as with many.
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
			whole, err := NewPlan(number, lists, &table)
			if err != nil {
				t.Fatal(err)
			}
			casts, rest := newCasts(whole.Transfers, 2)
			plan := whole.without(casts, rest)
			if !plan.Partial {
				if !reflect.DeepEqual(plan, whole) {
					t.Fatalf("seed %d: %+v instead of %+v", seed, plan, whole)
				}
				break
			}
			partial++
			if len(plan.Transfers) == 0 || len(plan.Transfers) >= len(whole.Transfers) || slices.Contains(plan.Granted, true) || plan.Complete != 0 {
				t.Fatalf("seed %d: %+v is no part of %+v", seed, plan, whole)
			}
			table.ApplyPart(plan.Transfers)
		}
	}
	if partial < 200 {
		t.Errorf("only %d partial phases", partial)
	}
}
