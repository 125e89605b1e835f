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
// Ranks of one machine have its clock. Others enter each step before any leaves it. So the
// difference of two clocks lies between two bounds for each step; Align takes the middle of the
// tightest ones of all steps. Clocks of which one is faster may leave no difference at all; then
// Uncertain is how far the bounds cross.
func (t *Trace) Align() {
	if t.Clock == dimmnet.Virtual || len(t.Ranks) == 0 {
		return
	}
	base := &t.Ranks[0]
	base.Offset, base.Uncertain = 0, 0
	first := steps(base)
	for i := range t.Ranks[1:] {
		r := &t.Ranks[1+i]
		low, high := bounds(first, steps(r))
		r.Offset, r.Uncertain = between(low, high)
		if r.Origin.Machine == 0 || r.Origin.Machine != base.Origin.Machine {
			continue
		}
		// A rank may lose its processor between its posts and the time of its call.
		if o := dimmnet.Time(r.Origin.Zero-base.Origin.Zero) * dimmnet.Nanosecond; o > low-pause && o < high+pause {
			r.Offset, r.Uncertain = o, drift+base.Origin.Off+r.Origin.Off
		}
	}
	earliest := base.Begun
	for i := range t.Ranks {
		if r := &t.Ranks[i]; r.Uncertain < math.MaxInt64 {
			earliest = min(earliest, r.Begun+r.Offset)
		}
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

const (
	// drift is how far the clocks of two ranks of one machine may be apart: each compares the
	// counter of its processor with the system's clock from time to time.
	drift = 2 * dimmnet.Microsecond
	// pause is for how long a rank may lose its processor. Clocks of which the calls say that they
	// are further apart are those of other time namespaces.
	pause = 50 * dimmnet.Millisecond
)

// bounds returns between what the difference lies that makes times of b times of a. Both made the
// same steps, several in one call maybe.
func bounds(a, b []step) (low, high dimmnet.Time) {
	low, high = math.MinInt64/2, math.MaxInt64/2
	for _, s := range a {
		// b has entered the last step of s before a has left it.
		if at, found := find(b, s.number); at < len(b) && (found || at > 0) {
			high = min(high, s.to-b[at].from)
		}
	}
	for _, s := range b {
		// a has entered the last step of s before b has left it.
		if at, found := find(a, s.number); at < len(a) && (found || at > 0) {
			low = max(low, a[at].from-s.to)
		}
	}
	return low, high
}

// between returns the middle of two bounds, and how far it may be off.
func between(low, high dimmnet.Time) (middle, off dimmnet.Time) {
	if low == math.MinInt64/2 || high == math.MaxInt64/2 {
		return 0, math.MaxInt64
	}
	return low + (high-low)/2, max(high-low, low-high) / 2
}

// find returns the index of the first call in which a rank made the step. If that is the first call
// of all and has ended with a later step, the call may be another one, whose event is missing.
func find(all []step, number uint64) (int, bool) {
	return slices.BinarySearchFunc(all, number, func(s step, n uint64) int { return cmp.Compare(s.number, n) })
}
