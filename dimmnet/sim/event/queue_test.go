package event

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestQueueSorts pushes events into the heap and the lanes, replaces and pops some, and compares
// with a sorted list.
func TestQueueSorts(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 0))
		var q queue
		var sorted []Event
		var now dimmnet.Time
		for order := range uint64(3000) {
			e := Event{At: now + dimmnet.Time(r.IntN(20)), order: order}
			switch action := r.IntN(5); {
			case order < 2000 && action < 2:
				q.pushLane(r.IntN(Lanes), e)
				sorted = append(sorted, e)
			case order < 2000 && action == 2:
				q.Push(e)
				sorted = append(sorted, e)
			case len(sorted) > 0 && action == 3 && q.from == inHeap:
				now = q.Replace(e).At
				sorted = append(sorted[1:], e)
			case len(sorted) > 0:
				if got := q.Pop(); got != sorted[0] {
					t.Fatalf("seed %d: pop returned %+v, want %+v", seed, got, sorted[0])
				}
				now = sorted[0].At
				sorted = sorted[1:]
			}
			slices.SortFunc(sorted, func(a, b Event) int {
				return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.order, b.order))
			})
			if q.n != len(sorted) || q.n > 0 && q.top != sorted[0] {
				t.Fatalf("seed %d: %d events, first %+v; want %d, first %+v", seed, q.n, q.top, len(sorted), sorted[:min(1, len(sorted))])
			}
		}
	}
}
