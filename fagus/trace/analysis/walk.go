package analysis

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
)

// Group is the variables whose names differ only in numbers: red.0.1 and red.2.0 are red.*.
type Group struct {
	Name      string
	Variables int
	Bytes     int    // that they guard
	Arrived   uint64 // bytes that moved to ranks
	Arrivals  uint64
	Written   uint64 // bytes that tenures changed
	Tenures   uint64 // that changed some
	Waited    Time   // for the variables, of all ranks
	Waits     uint64
	Holder    int    // the rank that had them longest while others waited; -1: none
	Line      string // with the longest of these waits
	Writers   int    // ranks that changed some
	Readers   int    // ranks at which data arrived
	// Apart is set if ranks change parts that do not overlap, each of one variable.
	Apart bool
}

// Line is what the calls at one source line take.
type Line struct {
	Line    string
	Call    string // the call, such as Acquire
	Calls   int
	Shares  Shares // of the calls
	After   Time   // computing from a return of the call to the next call
	Arrived uint64 // bytes
}

// walk adds up what all ranks have done.
type walk struct {
	*run
	res    *Result
	matrix map[[2]int]uint64
	groups map[string]*group
	group  []*group // by variable
	lines  map[lineKey]*Line
}

type lineKey struct {
	line int32
	call rollcall.Call
}

type group struct {
	Group
	holders          map[int32]Time
	lines            map[int32]Time
	writers, readers map[int]bool
	parts            map[[2]int]part // by variable and rank
}

// part is where in a variable a rank has changed something.
type part struct{ lo, hi uint32 }

func newWalk(r *run, res *Result) *walk {
	w := &walk{run: r, res: res, matrix: make(map[[2]int]uint64), groups: make(map[string]*group), lines: make(map[lineKey]*Line)}
	for _, v := range r.Trace.Variables {
		name := groupName(v.Name)
		g := w.groups[name]
		if g == nil {
			g = &group{Group: Group{Name: name, Holder: none}, holders: make(map[int32]Time), lines: make(map[int32]Time), writers: make(map[int]bool), readers: make(map[int]bool), parts: make(map[[2]int]part)}
			w.groups[name] = g
		}
		if g.Variables++; g.Variables == 1 {
			g.Name = v.Name
		} else {
			g.Name = name
		}
		g.Bytes += v.Bytes
		w.group = append(w.group, g)
	}
	res.Timeline = newTimeline(r, res.Total)
	return w
}

// groupName replaces the numbers in a name.
func groupName(name string) string {
	var b strings.Builder
	digits := false
	for _, c := range name {
		if c >= '0' && c <= '9' {
			if !digits {
				b.WriteByte('*')
			}
			digits = true
			continue
		}
		digits = false
		b.WriteRune(c)
	}
	return strings.ReplaceAll(b.String(), "*.*", "*")
}

// rank adds what one rank has done.
func (w *walk) rank(i int) {
	of := &w.ranks[i]
	out := Rank{Rank: of.number, Calls: len(of.calls), For: none, Failed: w.Trace.Ranks[i].Failed}
	lates, helds := make(map[int32]Time), make(map[int32]Time)
	at, before := w.begin, (*Line)(nil)
	if w.Trace.Ranks[i].Dropped > 0 && len(of.calls) > 0 {
		at = of.calls[0].From
	}
	for k := range of.calls {
		c := &of.calls[k]
		work, cause := max(0, c.From-at), Computing
		if before == nil {
			cause = Starting
		}
		out.Shares[cause] += work
		w.res.Timeline.add(i, at, c.From, cause)
		if before != nil {
			before.After += work
		}
		at = c.To
		before = w.lineOf(c)
		before.Calls++
		for _, s := range w.split(c) {
			out.Shares[s.cause] += s.to - s.from
			before.Shares[s.cause] += s.to - s.from
			w.res.Timeline.add(i, s.from, s.to, s.cause)
			switch s.cause {
			case Late:
				lates[s.rank] += s.to - s.from
			case Held:
				helds[s.id] += s.to - s.from
				w.held(&s, c)
			}
		}
		w.data(i, c, before)
		out.Sent += c.Bytes
		for _, a := range c.arrived {
			out.Arrived += a.Bytes
		}
	}
	if rank, t := longest(lates); t > 0 {
		out.For, out.ForTime = int(rank), t
	}
	if id, t := longest(helds); t > 0 {
		out.Variable, out.HeldTime = w.Name(id), t
	}
	w.res.Overall.add(&out.Shares)
	w.res.Ranks = append(w.res.Ranks, out)
}

// lineOf returns the entry of the line of a call. The line of a Release is that of its Acquire.
func (w *walk) lineOf(c *call) *Line {
	key := lineKey{c.Line, c.Call}
	l := w.lines[key]
	if l == nil {
		l = &Line{Line: w.line(c.Line), Call: c.Call.String()}
		w.lines[key] = l
	}
	return l
}

// held adds a wait for a variable.
func (w *walk) held(s *span, c *call) {
	g, t := w.group[s.id], s.to-s.from
	g.Waited += t
	g.Waits++
	g.holders[s.rank] += t
	g.lines[c.Line] += t
}

// data adds what a call has moved and written.
func (w *walk) data(i int, c *call, l *Line) {
	own := w.ranks[i].number
	for _, a := range c.arrived {
		g := w.group[a.ID]
		g.Arrived += a.Bytes
		g.Arrivals++
		g.readers[own] = true
		l.Arrived += a.Bytes
		w.matrix[[2]int{w.writer(a.ID, a.Number), own}] += a.Bytes
	}
	for _, e := range c.wrote {
		g := w.group[e.ID]
		g.Written += e.Bytes
		g.Tenures++
		g.writers[own] = true
		p, more := g.parts[[2]int{int(e.ID), own}]
		if !more {
			p.lo = e.Lo
		}
		g.parts[[2]int{int(e.ID), own}] = part{min(p.lo, e.Lo), max(p.hi, e.Hi)}
	}
}

// apart reports whether several ranks have changed a variable, and no two of them parts that
// overlap.
func (g *group) apart() bool {
	places := slices.SortedFunc(maps.Keys(g.parts), func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(g.parts[a].lo, g.parts[b].lo), cmp.Compare(a[1], b[1]))
	})
	several := false
	for i := 1; i < len(places); i++ {
		if before := places[i-1]; before[0] == places[i][0] {
			if g.parts[before].hi > g.parts[places[i]].lo || g.parts[places[i]].hi == 0 {
				return false
			}
			several = true
		}
	}
	return several
}

// finish sorts the sums into the Result.
func (w *walk) finish() {
	res := w.res
	for at, bytes := range w.matrix {
		res.Matrix = append(res.Matrix, Cell{at[0], at[1], bytes})
	}
	slices.SortFunc(res.Matrix, func(a, b Cell) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	for _, name := range slices.Sorted(maps.Keys(w.groups)) {
		g := w.groups[name]
		if rank, t := longest(g.holders); t > 0 {
			g.Holder = int(rank)
		}
		if line, t := longest(g.lines); t > 0 {
			g.Line = w.line(line)
		}
		g.Writers, g.Readers, g.Apart = len(g.writers), len(g.readers), g.apart()
		res.Groups = append(res.Groups, g.Group)
	}
	slices.SortStableFunc(res.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Waited, a.Waited), cmp.Compare(b.Arrived, a.Arrived), cmp.Compare(b.Written, a.Written))
	})
	for _, l := range w.lines {
		if l.Line != "" {
			res.Lines = append(res.Lines, *l)
		}
	}
	slices.SortFunc(res.Lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Shares.Total(), a.Shares.Total()), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Call, b.Call))
	})
}

// longest returns the key with the longest time, of several the least key.
func longest(times map[int32]Time) (key int32, t Time) {
	key = trace.None
	for k, of := range times {
		if of > t || of == t && k < key {
			key, t = k, of
		}
	}
	return key, t
}
