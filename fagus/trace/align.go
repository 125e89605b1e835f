package trace

import (
	"cmp"
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Align sets the Offset of each rank, so that all times are of the same clock, and how
// uncertain it is. Time 0 is when the first rank began its program. In virtual time all ranks have
// the same clock, which begins with the run.
//
// Each rank enters a step before any leaves it. So the difference of two clocks lies between two
// bounds for each step; Align takes the middle of the tightest ones of all steps. Clocks of which
// one is faster may leave no difference at all; then Uncertain is how far the bounds cross.
func (t *Trace) Align() {
	if t.Clock == dimmnet.Virtual || len(t.Ranks) == 0 {
		return
	}
	first := steps(&t.Ranks[0])
	for i := range t.Ranks[1:] {
		r := &t.Ranks[1+i]
		r.Offset, r.Uncertain = offset(first, steps(r))
	}
	earliest := t.Ranks[0].Begun
	for i := range t.Ranks {
		earliest = min(earliest, t.Ranks[i].Begun+t.Ranks[i].Offset)
	}
	for i := range t.Ranks {
		t.Ranks[i].Offset -= earliest
	}
}

// step is a call that has ended with the step number: the rank has entered it at from, and left it
// at to.
type step struct {
	number   uint64
	from, to dimmnet.Time
}

// steps returns the calls of a rank in which it made steps.
func steps(r *Rank) (all []step) {
	before := uint64(0)
	for i := range r.Events {
		e := &r.Events[i]
		if e.Kind == Called && e.Number > before {
			all, before = append(all, step{e.Number, e.From, e.To}), e.Number
		}
	}
	return all
}

// offset returns what to add to the times of b, so that they are times of a. Both made the same
// steps, several in one call maybe.
func offset(a, b []step) (middle, off dimmnet.Time) {
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	for _, s := range a {
		// b has entered the last step of s before a has left it.
		if at, found := find(b, s.number); at < len(b) && (found || at > 0) {
			high = min(high, int64(s.to-b[at].from))
		}
	}
	for _, s := range b {
		// a has entered the last step of s before b has left it.
		if at, found := find(a, s.number); at < len(a) && (found || at > 0) {
			low = max(low, int64(a[at].from-s.to))
		}
	}
	if low == math.MinInt64 || high == math.MaxInt64 {
		return 0, math.MaxInt64
	}
	return dimmnet.Time(low + (high-low)/2), dimmnet.Time(abs(high-low) / 2)
}

// find returns the index of the first call in which a rank made the step. If that is the first call
// of all and has ended with a later step, the call may be another one, whose event is missing.
func find(all []step, number uint64) (int, bool) {
	return slices.BinarySearchFunc(all, number, func(s step, n uint64) int { return cmp.Compare(s.number, n) })
}

func abs(x int64) int64 { return max(x, -x) }
