package syncvar_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// someLists returns random lists of Acquire. Often the lists of one rank follow those of another
// rank, as in most programs, so most lists are near the rank's number.
func someLists(random *rand.Rand, ranks, vars int) []syncvar.List {
	lists := make([]syncvar.List, ranks)
	for r := range lists {
		l := &lists[r]
		l.Call, l.Since = syncvar.Acquire, uint64(random.IntN(2))
		for id := range vars {
			near := id*ranks/vars == r
			switch n := random.IntN(40); {
			case near && n < 20:
				l.Exclusive = append(l.Exclusive, syncvar.ID(id))
			case near || n == 0:
				l.Shared = append(l.Shared, syncvar.ID(id))
			case n == 1 && random.IntN(8) == 0:
				l.Exclusive = append(l.Exclusive, syncvar.ID(id))
			}
		}
	}
	return lists
}

// inOrder is Grant without phases: by age and rank, it grants each list that conflicts with no
// earlier one.
func inOrder(lists []syncvar.List) []bool {
	granted := make([]bool, len(lists))
	order := make([]int, len(lists))
	for r := range order {
		order[r] = r
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(lists[a].Since) - int(lists[b].Since) })
	taken := map[syncvar.ID]syncvar.Access{}
	for _, r := range order {
		ok := true
		for _, id := range lists[r].Exclusive {
			ok = ok && taken[id] == 0
		}
		for _, id := range lists[r].Shared {
			ok = ok && taken[id] != syncvar.Exclusive
		}
		if granted[r] = ok; !ok {
			continue
		}
		for _, id := range lists[r].Exclusive {
			taken[id] = syncvar.Exclusive
		}
		for _, id := range lists[r].Shared {
			taken[id] = syncvar.Shared
		}
	}
	return granted
}

// TestApart: lists that are apart do not conflict, and are granted as if all names were compared.
func TestApart(t *testing.T) {
	apart, denied := 0, 0
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 9))
		ranks := 2 + random.IntN(20)
		lists := someLists(random, ranks, ranks*(1+random.IntN(2)))
		want := inOrder(lists)
		if got := syncvar.Grant(nil, 0, lists); !slices.Equal(got, want) {
			t.Fatalf("seed %d: granted %v, want %v", seed, got, want)
		}
		switch conflict := slices.Contains(want, false); {
		case conflict && syncvar.Apart(lists):
			t.Fatalf("seed %d: %+v conflict, and are apart", seed, lists)
		case conflict:
			denied++
		case syncvar.Apart(lists):
			apart++
		}
	}
	if t.Logf("%d apart, %d denied", apart, denied); apart < 100 || denied < 100 {
		t.Errorf("%d of 2000 cases are apart, and in %d a list is denied; want 100 of each", apart, denied)
	}
}

// TestWants: one table gets what the lists say about even variables, and another what they say
// about odd ones. Together they know what one table knows about all. From time to time a variable
// moves from one to the other.
func TestWants(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 3))
		ranks, vars := 2+random.IntN(6), 1+random.IntN(12)
		var whole, first, second syncvar.Table
		for _, table := range []*syncvar.Table{&whole, &first, &second} {
			table.StartAt(7)
		}
		of := make([]bool, vars) // whether a variable is in second
		inSecond := func(id syncvar.ID) bool { return of[id] }
		held := make([][]syncvar.ID, ranks)
		for range 20 {
			lists := someLists(random, ranks, vars)
			for r := range lists {
				for _, id := range held[r] {
					if random.IntN(2) == 0 {
						lists[r].Clean = append(lists[r].Clean, id)
					}
				}
			}
			granted := inOrder(lists)
			var parts [2][]syncvar.Wants
			for r := range lists {
				held[r] = nil
				for i, is := range []bool{false, true} {
					if w, some := lists[r].Of(inSecond, is); some {
						w.Rank, w.Granted = dimmnet.Rank(r), granted[r]
						parts[i] = append(parts[i], w)
					}
				}
				if granted[r] {
					held[r] = lists[r].Exclusive
				}
			}
			if err := whole.Settle(lists); err != nil {
				t.Fatal(err)
			}
			var moved []syncvar.Transfer
			for i, table := range []*syncvar.Table{&first, &second} {
				if err := table.SettleWants(parts[i]); err != nil {
					t.Fatal(err)
				}
				moved = table.WantedTransfers(moved, parts[i])
				table.ApplyWants(parts[i])
			}
			want := whole.Acquisitions(nil, lists, granted)
			slices.SortStableFunc(moved, func(a, b syncvar.Transfer) int { return int(a.ID) - int(b.ID) })
			if !slices.Equal(moved, want) {
				t.Fatalf("seed %d: the parts move %v, the whole %v", seed, moved, want)
			}
			whole.Apply(lists, granted)
			if id := syncvar.ID(random.IntN(vars)); !of[id] {
				second.Move(&first, id)
				of[id] = true
			}
			together := whole.Empty()
			for id := range max(first.Variables(), second.Variables()) {
				from := &first
				if int(id) < vars && of[id] {
					from = &second
				}
				copied := from.Clone()
				together.Move(copied, id)
			}
			if got, want := together.String(), whole.String(); got != want {
				t.Fatalf("seed %d: the parts are\n%s, the whole\n%s", seed, got, want)
			}
		}
	}
}

// TestOf: what a list says about some variables and about the others is all that it says. Nothing
// is named twice, and a list that names no others is not copied.
func TestOf(t *testing.T) {
	l := syncvar.List{Shared: []syncvar.ID{1, 4, 6}, Exclusive: []syncvar.ID{2, 3}, Clean: []syncvar.ID{5}}
	even := func(id syncvar.ID) bool { return id%2 == 0 }
	a, _ := l.Of(even, true)
	b, _ := l.Of(even, false)
	if !slices.Equal(a.Shared, []syncvar.ID{4, 6}) || !slices.Equal(b.Shared, []syncvar.ID{1}) || !slices.Equal(a.Exclusive, []syncvar.ID{2}) ||
		!slices.Equal(b.Exclusive, []syncvar.ID{3}) || len(a.Clean) != 0 || !slices.Equal(b.Clean, []syncvar.ID{5}) {
		t.Errorf("even %+v, odd %+v", a, b)
	}
	all, some := l.Of(func(syncvar.ID) bool { return true }, true)
	if none, some := l.Of(func(syncvar.ID) bool { return true }, false); some {
		t.Errorf("%+v is none of all", none)
	}
	if !some || &all.Shared[0] != &l.Shared[0] {
		t.Error("the list is copied, though it names no others")
	}
	if lo, hi, ok := l.Span(); lo != 1 || hi != 6 || !ok {
		t.Errorf("it names %d to %d, %v", lo, hi, ok)
	}
	if _, _, ok := new(syncvar.List).Span(); ok {
		t.Error("a list that names nothing has a span")
	}
}
