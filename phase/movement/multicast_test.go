package movement

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
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

// TestMulticastsAreThePlan splits the plans of random runs into multicasts. Together these hold
// every transfer once, and every hop has a unique number at both ranks.
func TestMulticastsAreThePlan(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 0))
		ranks, vars, words := 2+random.IntN(12), 1+random.IntN(12), 2+random.IntN(9)
		nodes := 0 // hops are numbered one after the other, or by peer
		if seed%2 == 0 {
			nodes, words = ranks, words*ranks
		}
		var table syncvar.Table
		for number := range uint64(20) {
			lists := someWants(random, ranks, vars, number)
			if err := table.Settle(lists); err != nil {
				t.Fatal(err)
			}
			granted := syncvar.Grant(nil, number, lists)
			transfers := table.Acquisitions(nil, lists, granted)
			trees, rest := NewMulticasts(transfers, words, nodes)
			checkTrees(t, seed, transfers, slices.Concat(trees, rest))
			checkNumbers(t, seed, trees, words)
			if again, _ := NewMulticasts(transfers, words, nodes); !reflect.DeepEqual(again, trees) {
				t.Fatalf("seed %d: trees %+v, and then %+v", seed, trees, again)
			}
			table.Apply(lists, granted)
		}
	}
}

func checkTrees(t *testing.T, seed uint64, transfers []syncvar.Transfer, trees []Multicast) {
	t.Helper()
	type move struct {
		Source
		from, to dimmnet.Rank
	}
	due := make(map[move]bool)
	for _, tr := range transfers {
		due[move{Source{tr.ID, tr.Since}, tr.From, tr.To}] = true
	}
	for _, c := range trees {
		has := map[dimmnet.Rank]bool{c.Edges[0].From: true}
		for _, e := range c.Edges {
			if !has[e.From] || has[e.To] {
				t.Fatalf("seed %d: rank %d passes data on to %d before it receives them, in %+v", seed, e.From, e.To, c)
			}
			has[e.To] = true
			for _, item := range c.Items {
				m := move{item, e.From, e.To}
				if !due[m] {
					t.Fatalf("seed %d: %+v is not due, or occurs twice", seed, m)
				}
				delete(due, m)
			}
		}
	}
	if len(due) > 0 {
		t.Fatalf("seed %d: no multicast has %+v", seed, due)
	}
}

func checkNumbers(t *testing.T, seed uint64, trees []Multicast, words int) {
	t.Helper()
	type end struct {
		at     dimmnet.Rank
		in     bool
		number int
	}
	used := make(map[end]bool)
	for _, c := range trees {
		for _, e := range c.Edges {
			for _, x := range []end{{e.From, false, e.out}, {e.To, true, e.in}} {
				if used[x] || x.number < 0 || x.number >= words {
					t.Fatalf("seed %d: of %d words, %+v is used twice or not there", seed, words, x)
				}
				used[x] = true
			}
		}
	}
}

// TestTreeKeys checks that trees that differ in one bit of a rank have different keys.
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

// TestNoNumbersForTheRest checks that a multicast takes no number if one of its hops gets no word.
func TestNoNumbersForTheRest(t *testing.T) {
	numbers := newHopNumbers(2, 0)
	if numbers.assign([]Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 1, To: 3}, {From: 1, To: 4}}) {
		t.Fatal("rank 1 has two words for three hops")
	}
	for i := range 2 {
		edges := []Edge{{From: 0, To: 1}, {From: 1, To: 2}}
		if !numbers.assign(edges) || edges[0].out != i || edges[0].in != i || edges[1].out != i || edges[1].in != i {
			t.Errorf("multicast %d has %+v", i, edges)
		}
	}
}
