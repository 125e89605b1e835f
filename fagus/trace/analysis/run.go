package analysis

import (
	"cmp"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
)

// Time is a time of a run, or a duration.
type Time = dimmnet.Time

// run is a trace in the form in which the package uses it. Times are of one clock.
type run struct {
	*trace.Trace
	phases bool // Phase mode: each call in which ranks wait is a step
	begin  Time
	ranks  []rank      // those of the trace, in the same order
	at     map[int]int // by number of a rank: its index in ranks
	meets  []meeting   // by increasing step
	wrote  map[int32][]written
}

const none = -1

// rank is what one rank has done.
type rank struct {
	number int
	calls  []call
	end    Time
}

// call is a call of a rank with what has happened in it.
type call struct {
	trace.Event
	before  uint64        // the rank's steps before the call
	waits   []trace.Event // in the order of time
	moved   trace.Event   // without it, From and To are 0
	arrived []trace.Event
	wrote   []trace.Event
}

// meeting says when the last rank entered a step, and which one that was.
type meeting struct {
	step uint64
	at   Time
	last int // an index in run.ranks
}

// written says which rank has made a version of a variable.
type written struct {
	version uint64
	rank    int
}

func newRun(t *trace.Trace) *run {
	r := &run{Trace: t, phases: t.Mode == "phase", ranks: make([]rank, len(t.Ranks)), at: make(map[int]int), wrote: make(map[int32][]written)}
	for i := range t.Ranks {
		r.at[t.Ranks[i].Rank] = i
		r.ranks[i] = newRank(&t.Ranks[i])
		for _, c := range r.ranks[i].calls {
			for _, w := range c.wrote {
				r.wrote[w.ID] = append(r.wrote[w.ID], written{w.Number, t.Ranks[i].Rank})
			}
		}
	}
	for _, of := range r.wrote {
		slices.SortStableFunc(of, func(a, b written) int { return cmp.Compare(a.version, b.version) })
	}
	r.meet()
	first := true
	for i := range r.ranks {
		if calls := r.ranks[i].calls; len(calls) > 0 && t.Clock != dimmnet.Virtual {
			if from := calls[0].From; first || from < r.begin {
				r.begin, first = from, false
			}
		}
	}
	return r
}

func newRank(t *trace.Rank) rank {
	r := rank{number: t.Rank}
	var c call
	steps, known := uint64(0), t.Dropped == 0
	for _, e := range t.Events {
		e.From += t.Offset
		e.To += t.Offset
		r.end = max(r.end, e.To)
		switch e.Kind {
		case trace.Waited:
			c.waits = append(c.waits, e)
		case trace.Moved:
			c.moved = e
		case trace.Arrived, trace.Wrote:
			if e.ID == trace.None {
				continue // no Recorder does that
			}
			if e.Kind == trace.Arrived {
				c.arrived = append(c.arrived, e)
			} else {
				c.wrote = append(c.wrote, e)
			}
		case trace.Called:
			if !known { // how many steps the dropped calls have made
				steps, known = e.Number, true
			}
			c.Event, c.before = e, min(steps, e.Number)
			steps = e.Number
			r.calls = append(r.calls, c)
			c = call{}
		}
	}
	return r
}

// meet finds out when the ranks met in each step. A rank enters the first step of a call when it
// makes the call. It is there already when the other steps of the call begin.
func (r *run) meet() {
	var all []meeting
	for i := range r.ranks {
		for k := range r.ranks[i].calls {
			if c := &r.ranks[i].calls[k]; c.Number > c.before {
				all = append(all, meeting{c.before + 1, c.From, i})
			}
		}
	}
	slices.SortFunc(all, func(a, b meeting) int {
		return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(b.at, a.at), cmp.Compare(a.last, b.last))
	})
	for i, m := range all {
		last := len(r.meets) - 1
		if i > 0 && m.step == all[i-1].step {
			continue // the last one to enter the step comes first
		}
		if last < 0 || m.at > r.meets[last].at {
			r.meets = append(r.meets, m)
		}
	}
}

// met returns the meetings of a call: the last one is that of its last step.
func (r *run) met(c *call) []meeting {
	find := func(step uint64) int {
		at, _ := slices.BinarySearchFunc(r.meets, step+1, func(m meeting, s uint64) int { return cmp.Compare(m.step, s) })
		return at
	}
	if c.Number == c.before {
		return nil
	}
	from, to := find(c.before+1), find(c.Number)
	if from > 0 {
		from-- // the meeting that c has made possible, or an earlier and later one
	}
	return r.meets[from:to]
}

// writer returns the rank that has made a version of a variable or, if that is missing, the version
// before.
func (r *run) writer(id int32, version uint64) int {
	of := r.wrote[id]
	at, found := slices.BinarySearchFunc(of, version, func(w written, v uint64) int { return cmp.Compare(w.version, v) })
	if !found {
		at--
	}
	if at < 0 {
		return none
	}
	return of[at].rank
}

// freed returns when the rank for which another one waited released the variable: the end of its
// last tenure by a time. The second result is false if it has none.
func (r *run) freed(w *trace.Event) (holder int, at Time, ok bool) {
	holder, ok = r.at[int(w.Rank)]
	if !ok {
		return 0, 0, false
	}
	calls := r.ranks[holder].calls
	next, _ := slices.BinarySearchFunc(calls, w.To+1, func(c call, t Time) int { return cmp.Compare(c.From, t) })
	const most = 256 // calls to look back
	for i := next - 1; i >= max(0, next-most); i-- {
		if c := &calls[i]; c.Call == rollcall.Release && r.has(c.Set, w.ID) {
			return holder, c.From, true
		}
	}
	return 0, 0, false
}

// has reports whether a set has a variable, or is too large for all its variables to be recorded.
func (r *run) has(set, id int32) bool {
	if set < 0 || id < 0 {
		return false
	}
	s := &r.Sets[set]
	for _, in := range s.Shared {
		if int32(in) == id {
			return true
		}
	}
	for _, in := range s.Exclusive {
		if int32(in) == id {
			return true
		}
	}
	return s.Variables > len(s.Shared)+len(s.Exclusive)
}

// line returns a source line of the trace.
func (r *run) line(index int32) string {
	if index < 0 {
		return ""
	}
	return r.Lines[index]
}
