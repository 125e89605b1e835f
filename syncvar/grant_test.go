package syncvar_test

import (
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// everyList calls f with all combinations of lists of ranks over vars variables. Each rank is in a
// Barrier, or wants each variable shared, exclusive or not at all.
func everyList(ranks, vars int, f func([]syncvar.List)) {
	perRank := 1
	for range vars {
		perRank *= 3
	}
	perRank++ // one more list: the rank is in a Barrier
	total := 1
	for range ranks {
		total *= perRank
	}
	lists := make([]syncvar.List, ranks)
	for code := range total {
		for r := range lists {
			choice := code % perRank
			code /= perRank
			lists[r] = syncvar.List{Call: syncvar.Acquire}
			if choice == perRank-1 {
				lists[r].Call = syncvar.Barrier
				continue
			}
			for v := range vars {
				switch choice % 3 {
				case 1:
					lists[r].Shared = append(lists[r].Shared, syncvar.ID(v))
				case 2:
					lists[r].Exclusive = append(lists[r].Exclusive, syncvar.ID(v))
				}
				choice /= 3
			}
		}
		f(lists)
	}
}

// compatible reports whether two lists may be granted together.
func compatible(a, b *syncvar.List) bool {
	meet := func(x, y []syncvar.ID) bool {
		for _, i := range x {
			for _, j := range y {
				if i == j {
					return true
				}
			}
		}
		return false
	}
	return !meet(a.Exclusive, b.Exclusive) && !meet(a.Exclusive, b.Shared) && !meet(a.Shared, b.Exclusive)
}

// TestGrantExhaustively checks the grants for all lists of 3 ranks over 2 variables, for all
// relevant phases and all orders of age.
func TestGrantExhaustively(t *testing.T) {
	ages := [][3]uint64{{0, 0, 0}, {0, 1, 2}, {2, 1, 0}, {1, 0, 1}, {1, 2, 0}}
	everyList(3, 2, func(lists []syncvar.List) {
		for phase := uint64(2); phase < 5; phase++ {
			for _, age := range ages {
				for r := range lists {
					lists[r].Since = phase - age[r]
				}
				checkGrant(t, phase, lists, syncvar.Grant(nil, phase, lists))
			}
		}
	})
}

// TestGrantBehindFence: until all lists are behind a Fence, a list behind it is granted as if it
// wanted nothing. Then it is granted as any other.
func TestGrantBehindFence(t *testing.T) {
	everyList(3, 1, func(lists []syncvar.List) {
		const phase = 7
		plain := slices.Clone(lists)
		for fenced := 1; fenced < 8; fenced++ {
			for r := range lists {
				lists[r].Fenced = fenced>>r&1 != 0
			}
			granted := syncvar.Grant(nil, phase, lists)
			if fenced == 7 {
				if want := syncvar.Grant(nil, phase, plain); !slices.Equal(granted, want) {
					t.Fatalf("%+v: %v, want as without a Fence %v", lists, granted, want)
				}
				continue
			}
			without := slices.Clone(lists)
			for r := range lists {
				if lists[r].Fenced && granted[r] {
					t.Fatalf("%+v: rank %d is granted before all ranks have called Fence", lists, r)
				}
				if lists[r].Fenced {
					without[r] = syncvar.List{Call: syncvar.Barrier}
				}
			}
			if want := syncvar.Grant(nil, phase, without); !slices.Equal(granted, want) {
				t.Fatalf("%+v: %v, want %v as if those behind the Fence waited", lists, granted, want)
			}
		}
	})
}

// TestCheckFence: the error names ranks that can no longer meet at a Fence.
func TestCheckFence(t *testing.T) {
	list := func(call syncvar.Call, fenced bool) syncvar.List { return syncvar.List{Call: call, Fenced: fenced} }
	const rule = "; all ranks must call Fence, Update, Barrier, Reduce and Rebind in the same order, and none may return before"
	for _, c := range []struct {
		lists []syncvar.List
		want  string
	}{
		{[]syncvar.List{list(syncvar.Barrier, false), list(syncvar.Acquire, false)}, ""},
		{[]syncvar.List{list(syncvar.Acquire, true), list(syncvar.Acquire, false)}, ""},
		{[]syncvar.List{list(syncvar.Acquire, true), list(syncvar.Barrier, true), list(syncvar.End, true)}, ""},
		{[]syncvar.List{list(syncvar.Barrier, false), list(syncvar.Acquire, true)}, "rank 1 has called Fence, but rank 0 calls Barrier" + rule},
		{[]syncvar.List{list(syncvar.Acquire, false), list(syncvar.Update, true), list(syncvar.End, false)}, "rank 1 has called Fence, but rank 2 has returned" + rule},
	} {
		got := ""
		if err := syncvar.CheckFence(c.lists); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.lists, got, c.want)
		}
	}
}

func checkGrant(t *testing.T, phase uint64, lists []syncvar.List, granted []bool) {
	t.Helper()
	oldest := -1
	for r := range lists {
		if lists[r].Call != syncvar.Acquire {
			if granted[r] {
				t.Fatalf("phase %d, %+v: %v: rank %d wants nothing", phase, lists, granted, r)
			}
			continue
		}
		if oldest < 0 || before(phase, lists, r, oldest) {
			oldest = r
		}
		blocked := false
		for o := range lists {
			if o == r || !granted[o] || compatible(&lists[o], &lists[r]) {
				continue
			}
			blocked = true
			if granted[r] {
				t.Fatalf("phase %d, %+v: %v: ranks %d and %d exclude each other", phase, lists, granted, o, r)
			}
		}
		if !granted[r] && !blocked {
			t.Fatalf("phase %d, %+v: %v: nothing excludes rank %d", phase, lists, granted, r)
		}
	}
	if oldest >= 0 && !granted[oldest] {
		t.Fatalf("phase %d, %+v: %v: rank %d was first", phase, lists, granted, oldest)
	}
}

// before reports whether list a is served before list b: the older call comes first, then the rank
// that follows the phase number more closely.
func before(phase uint64, lists []syncvar.List, a, b int) bool {
	if lists[a].Since != lists[b].Since {
		return lists[a].Since < lists[b].Since
	}
	n := len(lists)
	return (a+n-int(phase)%n)%n < (b+n-int(phase)%n)%n
}

// TestTreeReachesAll checks the transfers of one variable to many ranks.
func TestTreeReachesAll(t *testing.T) {
	for ranks := 2; ranks < 100; ranks++ {
		table := writtenBy(t, ranks, 3%ranks)
		lists := make([]syncvar.List, ranks)
		for r := range lists {
			lists[r] = syncvar.List{Call: syncvar.Acquire, Shared: []syncvar.ID{0}}
		}
		has := map[dimmnet.Rank]bool{dimmnet.Rank(3 % ranks): true}
		serves := make(map[dimmnet.Rank]int)
		for _, tr := range table.Acquisitions(nil, lists, syncvar.Grant(nil, 1, lists)) {
			if !has[tr.From] || has[tr.To] || tr.Relay != (tr.From != dimmnet.Rank(3%ranks)) {
				t.Fatalf("%d ranks: %+v, ranks that have it: %v", ranks, tr, has)
			}
			has[tr.To] = true
			if serves[tr.From]++; serves[tr.From] > syncvar.Fanout {
				t.Fatalf("%d ranks: rank %d serves %d others", ranks, tr.From, serves[tr.From])
			}
		}
		if len(has) != ranks {
			t.Fatalf("%d ranks: only %d get the variable", ranks, len(has))
		}
	}
}

// writtenBy returns a table after owner has written variable 0.
func writtenBy(t *testing.T, ranks, owner int) *syncvar.Table {
	t.Helper()
	var table syncvar.Table
	lists := make([]syncvar.List, ranks)
	for r := range lists {
		lists[r].Call = syncvar.Acquire
	}
	lists[owner].Exclusive = []syncvar.ID{0}
	table.Apply(lists, syncvar.Grant(nil, 0, lists))
	lists[owner].Exclusive = nil
	if err := table.Settle(lists); err != nil {
		t.Fatal(err)
	}
	return &table
}

func TestOnlyWhatIsNewerMoves(t *testing.T) {
	table := writtenBy(t, 3, 0) // version 1
	want := func(r int, sh, ex []syncvar.ID, n int) {
		t.Helper()
		lists := []syncvar.List{{Call: syncvar.Acquire}, {Call: syncvar.Acquire}, {Call: syncvar.Acquire}}
		lists[r].Shared, lists[r].Exclusive = sh, ex
		granted := syncvar.Grant(nil, 0, lists)
		if ts := table.Acquisitions(nil, lists, granted); len(ts) != n {
			t.Fatalf("rank %d needs %+v, want %d transfers; table:\n%v", r, ts, n, table)
		}
		table.Apply(lists, granted)
	}
	settle := func(clean ...syncvar.ID) {
		t.Helper()
		lists := make([]syncvar.List, 3)
		lists[1].Clean = clean
		if err := table.Settle(lists); err != nil {
			t.Fatal(err)
		}
	}
	v := []syncvar.ID{0}
	want(1, v, nil, 1) // rank 1 lacks version 1
	want(1, v, nil, 0) // now rank 1 has it
	want(1, nil, v, 0) // rank 1 makes version 2
	settle(0)          // version 2 is clean
	want(0, v, nil, 0) // so rank 0 lacks nothing
	want(2, v, nil, 1) // rank 2 lacks version 1, and gets it from rank 1
	want(1, nil, v, 0) // rank 1 makes version 3
	settle()           // version 3 is a write
	want(0, v, nil, 1)
	want(2, nil, v, 1)
}

func TestSettleRefusesWhatWasNotHeld(t *testing.T) {
	table := writtenBy(t, 2, 0)
	open := []syncvar.List{{Call: syncvar.Acquire}, {Call: syncvar.Acquire, Exclusive: []syncvar.ID{1}}}
	table.Apply(open, syncvar.Grant(nil, 1, open)) // rank 1 holds variable 1
	for _, c := range []struct {
		rank  int
		clean syncvar.ID
	}{{0, 0}, {1, 0}, {0, 1}, {1, 2}, {1, 5}} { // settled, another rank owns it, never acquired
		lists := make([]syncvar.List, 2)
		lists[c.rank].Clean = []syncvar.ID{c.clean}
		if err := table.Settle(lists); err == nil {
			t.Errorf("rank %d left variable %d clean", c.rank, c.clean)
		}
	}
	good := make([]syncvar.List, 2)
	good[1].Clean = []syncvar.ID{1}
	if err := table.Settle(good); err != nil || table.State(1).Written != 0 {
		t.Errorf("after rank 1 reports variable 1 as clean: error %v, %+v", err, table.State(1))
	}
}
