package analysis

import (
	"cmp"
	"slices"

	"github.com/fagus-dsm/fagus/fagus/trace"
)

// Path is the critical path of a run.
type Path struct {
	Shares Shares
	Parts  []PathPart // the largest first
	Ranks  []Time     // by the index in Result.Ranks: how much of it is there
}

// PathPart is the time in the path of one cause at one line.
type PathPart struct {
	Cause Cause
	// Line is that of the call or, of Computing, that of the call before.
	Line     string
	Until    string // of Computing and Starting: the line of the call that follows
	Variable string // of Agreeing: the variable that is handed over, if one is
	Time     Time
}

// place is what PathParts are told apart by.
type place struct {
	cause       Cause
	line, until int32
	id          int32
}

// pathWalk follows the path backwards.
type pathWalk struct {
	*run
	timeline *Timeline
	called   func(rank int, from, to Time)
	parts    map[place]Time
	path     Path
}

// path returns the critical path, and adds it to the timeline. It calls called for each part in
// which a rank is in a call that others can see.
func (r *run) path(t *Timeline, called func(rank int, from, to Time)) Path {
	w := pathWalk{run: r, timeline: t, called: called, parts: make(map[place]Time)}
	w.path.Ranks = make([]Time, len(r.ranks))
	last, calls := 0, 0
	for i := range r.ranks {
		calls += len(r.ranks[i].calls)
		if r.ranks[i].end > r.ranks[last].end {
			last = i
		}
	}
	if calls == 0 {
		return w.path
	}
	at, rank := r.ranks[last].end, last
	for limit := 4*calls + 4; at > r.begin && limit > 0; limit-- {
		rank, at = w.back(rank, at)
	}
	for p, t := range w.parts {
		part := PathPart{Cause: p.cause, Line: r.line(p.line), Until: r.line(p.until), Time: t}
		if p.id != trace.None {
			part.Variable = r.Name(p.id)
		}
		w.path.Parts = append(w.path.Parts, part)
	}
	slices.SortFunc(w.path.Parts, func(a, b PathPart) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Until, b.Until), cmp.Compare(a.Variable, b.Variable))
	})
	return w.path
}

// take adds a part of the path.
func (w *pathWalk) take(rank int, from, to Time, p place) {
	if to <= from {
		return
	}
	w.parts[p] += to - from
	w.path.Shares[p.cause] += to - from
	w.path.Ranks[rank] += to - from
	w.timeline.addPath(rank, from, to, p.cause)
	if p.cause == Moving || p.cause == Agreeing {
		w.called(rank, from, to)
	}
}

// back adds what a rank did immediately before a time, and returns where the path goes on.
func (w *pathWalk) back(rank int, at Time) (before int, since Time) {
	calls := w.ranks[rank].calls
	next, _ := slices.BinarySearchFunc(calls, at, func(c call, t Time) int { return cmp.Compare(c.To, t) })
	line, until := int32(trace.None), int32(trace.None)
	if next == len(calls) || calls[next].From >= at { // it computed
		from, cause := w.begin, Starting
		if next > 0 {
			from, line, cause = calls[next-1].To, calls[next-1].Line, Computing
		}
		if next < len(calls) {
			until = calls[next].Line
		}
		w.take(rank, max(from, w.begin), at, place{cause, line, until, trace.None})
		return rank, max(from, w.begin)
	}
	c := &calls[next]
	from := c.From
	before, id := rank, int32(trace.None)
	if met := w.met(c); len(met) > 0 {
		if m := met[len(met)-1]; m.last != rank && m.at > from && m.at < at {
			before, from = m.last, m.at
		}
	} else if last, of, ok := w.granted(c); ok && last.end < at {
		before, from, id = last.rank, last.end, of
	}
	// Waiting is not in the path: what the spans call so belongs to the agreement.
	for _, s := range slices.Backward(w.split(c)) {
		cause := s.cause
		if cause == Late || cause == Held {
			cause = Agreeing
		}
		w.take(rank, max(s.from, from), min(s.to, at), place{cause, c.Line, trace.None, id})
	}
	return before, from
}
