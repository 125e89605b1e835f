package rollcall

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

func TestString(t *testing.T) {
	roll := Roll{Mode: "phase", Ranks: []Entry{
		{Call: "Acquire", Calls: 8, Set: `"a" (exclusive)`, For: 31500 * time.Millisecond, Line: "x/main.go:7",
			Wait:   syncvar.Wait{Phased: true, Phase: 12, For: "the lists of ranks", Ranks: []dimmnet.Rank{1, 2, 4}},
			Owners: []Owner{{"a", 1}, {"b", 1}, {"c", 0}}},
		{Calls: 7, Set: `"a" (exclusive)`, Line: "x/main.go:9"},
		{},
		{Call: "return", Calls: 9, Returned: true, Wait: syncvar.Wait{For: "the lists of ranks", Ranks: []dimmnet.Rank{1, 2}, More: 3}},
		{Call: "Barrier", Calls: 9},
	}}
	want := `roll-call of 5 ranks in phase mode
rank 0: in Acquire of "a" (exclusive) for 31.5 s at x/main.go:7 (call 8, phase 12): waits for the lists of ranks [1 2 4]; rank 1 owns "a", "b"; rank 0 owns "c"
rank 1: computes at x/main.go:9, after call 7, holds "a" (exclusive)
rank 2: has made no call yet
rank 3: has returned (call 9): waits for the lists of ranks [1 2] and 3 more
rank 4: in Barrier (call 9): waits for nothing
waited for, and in no call: ranks 1, 2
`
	if got := roll.String(); got != want {
		t.Errorf("the roll is\n%swant\n%s", got, want)
	}
	roll.Ended = "the time is over"
	if got, want := roll.String(), "roll-call of 5 ranks in phase mode, as they were when the run was ended: the time is over\nrank 0: "; !strings.HasPrefix(got, want) {
		t.Errorf("the roll is\n%swant\n%s", got, want)
	}
	many := Roll{Mode: "phase", Ranks: make([]Entry, 9)}
	for _, r := range []int{0, 2, 3, 4, 6, 7} {
		many.Ranks[r] = Entry{Call: "Barrier", Calls: 1, For: time.Duration(2+r) * time.Second}
	}
	if got, want := many.String(), "roll-call of 9 ranks in phase mode\nranks 0, 2-4, 6, 7: in Barrier for 2.0 s (call 1): waits for nothing\nranks 1, 5, 8: has made no call yet\n"; got != want {
		t.Errorf("the roll is\n%swant\n%s", got, want)
	}
	if late := roll.Late(); !slices.Equal(late, []int{1, 2}) {
		t.Errorf("late ranks %v, want 1 and 2", late)
	}
}
