package analysis

import (
	"cmp"
	"iter"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Time is a time of a run, or a duration.
type Time = dimmnet.Time

// run is a trace in the form in which the package uses it. Times are of one clock.
type run struct {
	*trace.Trace
	phases bool        // Phase mode: each call in which ranks wait is a step
	begin  Time        // of what is known
	ranks  []rank      // those of the trace, in the same order
	at     map[int]int // by number of a rank: its index in ranks
	meets  []meeting   // by increasing step
	wrote  map[int32][]written
	// tenures are the tenures of each variable in the order of their grants, in Threaded mode.
	tenures map[int32][]tenure
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
	*trace.Event
	rank    int           // an index in run.ranks
	before  uint64        // the rank's steps before the call
	waits   []trace.Event // in the order of time
	moved   interval      // if data moved
	copied  interval      // if the Acquire made copies, to find writes later
	arrived []trace.Event
	wrote   []trace.Event
}

type interval struct{ from, to Time }

// meeting says when the last rank entered a step, and which one that was.
type meeting struct {
	step uint64
	at   Time
	last int // an index in run.ranks
}

// tenure is a tenure of a variable.
type tenure struct {
	granted, end Time
	rank         int // an index in run.ranks
	exclusive    bool
}

// written says which rank has made a version of a variable.
type written struct {
	version uint64
	rank    int
}

func newRun(t *trace.Trace) *run {
	r := &run{Trace: t, phases: t.Mode == "phase", ranks: make([]rank, len(t.Ranks)), at: make(map[int]int), wrote: make(map[int32][]written), tenures: make(map[int32][]tenure)}
	for i := range t.Ranks {
		r.at[t.Ranks[i].Rank] = i
		r.ranks[i] = newRank(i, &t.Ranks[i])
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
	if !r.phases {
		r.tenured()
	}
	r.begin = r.begins()
	return r
}

// begins returns the begin of what is known: 0, when the first rank began its program, unless the
// first events of all ranks are missing.
func (r *run) begins() Time {
	begin, first := Time(0), true
	for i := range r.ranks {
		switch calls := r.ranks[i].calls; {
		case r.Trace.Ranks[i].Dropped == 0:
			return 0
		case len(calls) > 0 && (first || calls[0].From < begin):
			begin, first = calls[0].From, false
		}
	}
	return begin
}

// newRank refers to the events of t, which are most of the memory that a run takes.
func newRank(index int, t *trace.Rank) rank {
	r := rank{number: t.Rank}
	events := t.Events
	if t.Offset != 0 {
		events = slices.Clone(events)
	}
	calls := 0
	for i := range events {
		e := &events[i]
		e.From += t.Offset
		e.To += t.Offset
		r.end = max(r.end, e.To)
		if e.Kind == trace.Called {
			calls++
		}
	}
	r.calls = make([]call, 0, calls)
	c := call{rank: index}
	steps, known := uint64(0), t.Dropped == 0
	for i := range events {
		switch e := &events[i]; {
		case e.Kind == trace.Waited:
			c.waits = extend(c.waits, events, i)
		case e.Kind == trace.Moved:
			c.moved = interval{e.From, e.To}
		case e.Kind == trace.Copied:
			c.copied = interval{e.From, e.To}
		case e.Kind == trace.Arrived && e.ID != trace.None:
			c.arrived = extend(c.arrived, events, i)
		case e.Kind == trace.Wrote && e.ID != trace.None:
			c.wrote = extend(c.wrote, events, i)
		case e.Kind == trace.Called:
			if !known { // how many steps the dropped calls have made
				steps, known = e.Number, true
			}
			c.Event, c.before = e, min(steps, e.Number)
			steps = e.Number
			r.calls = append(r.calls, c)
			c = call{rank: index}
		}
	}
	return r
}

// extend returns of with event i of all at its end. While the events of of follow each other in
// all, it is a part of all.
func extend(of, all []trace.Event, i int) []trace.Event {
	n := len(of)
	if n == 0 || i > 0 && &of[n-1] == &all[i-1] {
		return all[i-n : i+1 : i+1]
	}
	return append(of, all[i])
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

// tenured notes the tenures of each variable.
func (r *run) tenured() {
	for i := range r.ranks {
		granted := Time(0)
		for k := range r.ranks[i].calls {
			c := &r.ranks[i].calls[k]
			if c.Call == rollcall.Acquire {
				granted = c.To
			}
			if c.Call != rollcall.Release || c.Set < 0 {
				continue
			}
			for id, exclusive := range all(&r.Sets[c.Set]) {
				r.tenures[id] = append(r.tenures[id], tenure{granted, c.To, i, exclusive})
			}
		}
	}
	for _, of := range r.tenures {
		slices.SortFunc(of, func(a, b tenure) int {
			return cmp.Or(cmp.Compare(a.granted, b.granted), cmp.Compare(a.end, b.end), cmp.Compare(a.rank, b.rank))
		})
	}
}

// freed returns the tenure for whose end an Acquire that was granted at a time has waited: that of
// the last writer or, if it wants to write, of the readers since then. The order of grants is that
// of the clocks, which are more exact than a tenure is long; the end of one may seem to be after
// the grant of the next.
func (r *run) freed(c *call, id int32, exclusive bool, granted Time) (last tenure, ok bool) {
	of := r.tenures[id]
	i, _ := slices.BinarySearchFunc(of, granted, func(t tenure, granted Time) int { return cmp.Compare(t.granted, granted) })
	const most = 4096 // readers
	for k := i - 1; k >= max(0, i-most); k-- {
		t := of[k]
		if t.rank != c.rank && t.end > c.From && (exclusive || t.exclusive) && (!ok || t.end > last.end) {
			last, ok = t, true
			last.end = min(t.end, granted)
		}
		if t.exclusive {
			break
		}
	}
	return last, ok
}

// granted returns the tenure for whose end an Acquire of Threaded mode has waited last, and its
// variable.
func (r *run) granted(c *call) (last tenure, id int32, ok bool) {
	if r.phases || c.Call != rollcall.Acquire || c.Set < 0 {
		return tenure{}, trace.None, false
	}
	for of, exclusive := range all(&r.Sets[c.Set]) {
		if t, waited := r.freed(c, of, exclusive, c.To); waited && (!ok || t.end > last.end) {
			last, id, ok = t, of, true
		}
	}
	return last, id, ok
}

// all returns the variables of a set, and whether they are for writing.
func all(s *trace.Set) iter.Seq2[int32, bool] {
	return func(yield func(int32, bool) bool) {
		for i, ids := range [...][]syncvar.ID{s.Shared, s.Exclusive} {
			for _, id := range ids {
				if !yield(int32(id), i == 1) {
					return
				}
			}
		}
	}
}

// line returns a source line of the trace.
func (r *run) line(index int32) string {
	if index < 0 {
		return ""
	}
	return r.Lines[index]
}
