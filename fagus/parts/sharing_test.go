package parts

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
)

// TestReport: a report is the same after it is encoded as a word, its time to 7 digits.
func TestReport(t *testing.T) {
	for _, r := range []report{{}, {1, 1}, {1<<31 - 1, 3600 * fagus.Second}, {7, 1234567}} {
		if got := reportOf(r.word()); got.count != r.count || got.busy-r.busy > r.busy/1e7 || r.busy-got.busy > r.busy/1e7 {
			t.Errorf("%+v becomes %+v", r, got)
		}
	}
}

// TestDeal: ranks that do a random number of their batches, at least one each time, do every batch
// once, and see the same deal.
func TestDeal(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		batches, ranks := random.IntN(200), 1+random.IntN(9)
		d := newDeal(0, batches, ranks)
		var done []int
		for meetings := 0; ; meetings++ {
			if meetings > batches {
				t.Fatalf("seed %d: %d batches on %d ranks: more meetings than batches", seed, batches, ranks)
			}
			words := make([]uint64, ranks)
			for r := range ranks {
				mine, limit := d.hand(r)
				if limit < 1 {
					t.Fatalf("seed %d: ranks work for %v", seed, limit)
				}
				count := len(mine)
				if count > 1 && !d.last() {
					count = 1 + random.IntN(count)
				}
				done = append(done, mine[:count]...)
				words[r] = report{count, fagus.Time(count) * fagus.Millisecond}.word()
			}
			if d.last() {
				break
			}
			d.next(words)
		}
		slices.Sort(done)
		for b := range batches {
			if len(done) != batches || done[b] != b {
				t.Fatalf("seed %d: %d batches on %d ranks: %v are done", seed, batches, ranks, done)
			}
		}
	}
}

// TestDealTime: ranks work for three quarters of the time that the rest should take.
func TestDealTime(t *testing.T) {
	d := newDeal(0, 108, 4)
	words := make([]uint64, 4)
	for r := range words {
		words[r] = report{2, 20 * fagus.Millisecond}.word()
	}
	d.next(words)
	if _, limit := d.hand(0); limit != 187500*fagus.Microsecond { // 100 left, 10 ms each, 4 ranks
		t.Errorf("ranks work for %v, want 187.5 ms", limit)
	}
}

func TestMoves(t *testing.T) {
	for _, c := range []struct {
		held []int
		room int
		want []move
	}{
		{[]int{3}, 9, nil},
		{[]int{0, 0}, 9, nil},
		{[]int{1, 0, 0}, 9, nil},
		{[]int{2, 0, 0}, 9, []move{{0, 1, 1}}},
		{[]int{13, 0}, 9, []move{{0, 1, 6}}},
		{[]int{13, 0}, 2, []move{{0, 1, 2}}},
		{[]int{0, 10, 0, 10}, 9, []move{{1, 0, 5}, {3, 2, 5}}},
		{[]int{0, 0, 30, 6}, 9, []move{{2, 0, 9}}},
		{[]int{4, 6, 5}, 9, nil},
	} {
		if got := moves(c.held, c.room); !slices.Equal(got, c.want) {
			t.Errorf("%v tasks, room for %d: %v, want %v", c.held, c.room, got, c.want)
		}
	}
}

// TestMovesHelp: random moves give no more than a rank has, and leave no rank needlessly idle.
func TestMovesHelp(t *testing.T) {
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 1))
		held := make([]int, 1+random.IntN(20))
		all := 0
		for r := range held {
			if random.IntN(2) == 0 {
				held[r] = random.IntN(40)
			}
			all += held[r]
		}
		after := slices.Clone(held)
		for _, m := range moves(held, 100) {
			after[m.from] -= m.count
			after[m.to] += m.count
			if m.count < 1 || m.from == m.to || after[m.from] < all/len(held) {
				t.Fatalf("seed %d: %v: move %+v leaves %v", seed, held, m, after)
			}
		}
		if slices.Min(after) == 0 && slices.Max(after) > 1 {
			t.Fatalf("seed %d: %v becomes %v", seed, held, after)
		}
	}
}

// TestSplit: a part of the tasks is given, old and new ones in turn.
func TestSplit(t *testing.T) {
	given, kept := split([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 4)
	if !slices.Equal(given, []int{2, 4, 7, 9}) || !slices.Equal(kept, []int{0, 1, 3, 5, 6, 8}) {
		t.Errorf("given %v, kept %v", given, kept)
	}
	if given, kept := split([]int(nil), 0); len(given)+len(kept) != 0 {
		t.Errorf("of nothing: given %v, kept %v", given, kept)
	}
}

// TestPace: intervals begin with the longest task, grow while all are busy, and shrink while they
// are not.
func TestPace(t *testing.T) {
	const ms = fagus.Millisecond
	p := pace{limit: 1}
	now := fagus.Time(0)
	for i, c := range []struct {
		busy [2]fagus.Time
		want fagus.Time
	}{
		{[2]fagus.Time{0, 0}, 1},
		{[2]fagus.Time{1 * ms, 5 * ms}, 5 * ms},
		{[2]fagus.Time{5 * ms, 5 * ms}, 10 * ms},
		{[2]fagus.Time{10 * ms, 7 * ms}, 10 * ms},
		{[2]fagus.Time{10 * ms, 0}, 5 * ms},
		{[2]fagus.Time{0, 5 * ms}, 4 * ms}, // four times the 1 ms between intervals
	} {
		p.next([]uint64{report{1, c.busy[0]}.word(), report{1, c.busy[1]}.word()}, now)
		if p.limit/ms != c.want/ms {
			t.Errorf("interval %d takes %v, want %v", i, p.limit, c.want)
		}
		now += 10 * ms
		p.end = now
		now += ms
	}
}
