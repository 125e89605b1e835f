package phase

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// A phase repeats if the schedules of the last phases are a cycle that has run three times, and if
// the phase has the schedule expected of it. Then what moves in the phase is what moved one cycle
// before, with later versions: whatever the table was before the cycle, after it the same rank owns
// each variable that the cycle names, and the copies lag behind by as much. So nobody plans. A rank
// does its part of one cycle before, and leaves the table as it is until a phase needs it (catchUp).
//
// Only phases repeat that have granted all lists of Acquire and moved all data: a grant in turn
// depends on the number of the phase.

// part is what one rank does in a phase that may repeat.
type part struct {
	multicasts []multicast // that this rank takes part in, with this rank's edges alone
	held       []held      // the variables that it moves or wants, by ID
}

// held is a variable and its version before the phase.
type held struct {
	id      syncvar.ID
	version syncvar.Version
}

// repeats reports whether the present phase repeats.
func (e *Engine) repeats() bool {
	expected, lag := e.course.expected()
	return expected != nil && e.schedule == expected && e.course.run >= 2*lag && e.plain >= uint64(3*lag)
}

// repeat does this rank's part of a phase that repeats.
func (e *Engine) repeat() error {
	lag := uint64(e.course.lag)
	last, before := e.partOf(e.counts.Phases-lag), e.partOf(e.counts.Phases-2*lag)
	now, err := last.after(before)
	if err != nil {
		return fmt.Errorf("phase: phase %d is not as %d and %d phases before: %w", e.phase, lag, 2*lag, err)
	}
	e.parts[e.counts.Phases%uint64(len(e.parts))] = now
	e.parts[(e.counts.Phases-2*lag)%uint64(len(e.parts))] = nil
	e.part, e.repeating = now, true
	e.behind++
	e.counts.Repeated++
	e.plain++
	s := e.schedule
	if e.lists = nil; !s.uniform() {
		e.lists = s.lists
	}
	e.plan = Plan{Granted: e.plan.Granted, Complete: s.call}
	if len(e.plan.Granted) < s.nodes {
		e.plan.Granted = make([]bool, s.nodes)
	}
	e.plan.Granted[e.rank] = e.own.Call == syncvar.Acquire
	e.charge(dimmnet.Step, 1+len(now.multicasts))
	e.state = transfer
	if e.watch != nil && len(now.multicasts) > 0 {
		e.watch.Moving()
	}
	e.method.(*push).prepare(now.multicasts)
	return nil
}

func (e *Engine) partOf(phase uint64) *part { return e.parts[phase%uint64(len(e.parts))] }

// after returns the part that follows p as p follows before.
func (p *part) after(before *part) (*part, error) {
	if p == nil || before == nil || len(p.multicasts) != len(before.multicasts) || len(p.held) != len(before.held) {
		return nil, fmt.Errorf("the parts differ")
	}
	next := &part{multicasts: make([]multicast, len(p.multicasts)), held: make([]held, len(p.held))}
	for i, h := range p.held {
		if before.held[i].id != h.id {
			return nil, fmt.Errorf("variable %d, then %d", before.held[i].id, h.id)
		}
		next.held[i] = held{h.id, 2*h.version - before.held[i].version}
	}
	for i, m := range p.multicasts {
		old := before.multicasts[i]
		if len(m.items) != len(old.items) || !slices.Equal(m.edges, old.edges) {
			return nil, fmt.Errorf("multicast %d differs", i)
		}
		items := make([]source, len(m.items))
		for j, s := range m.items {
			if old.items[j].id != s.id {
				return nil, fmt.Errorf("multicast %d has variable %d, then %d", i, old.items[j].id, s.id)
			}
			items[j] = source{s.id, 2*s.since - old.items[j].since}
		}
		next.multicasts[i] = multicast{items, m.edges}
	}
	return next, nil
}

// record records this rank's part of a phase that has been planned, if the phase may be one of a
// cycle: its schedule has been met before.
func (e *Engine) record() {
	if len(e.parts) == 0 {
		e.parts = make([]*part, e.course.window())
	}
	at := e.counts.Phases % uint64(len(e.parts))
	e.parts[at] = nil
	if e.schedule.since < e.counts.Phases {
		e.parts[at] = e.newPart(e.method.(*push).own)
	}
	e.plain++
	if e.plan.Partial || !e.schedule.granted(e.plan.Granted) {
		e.plain = 0
	}
}

// newPart returns this rank's part of a phase with the given multicasts.
func (e *Engine) newPart(multicasts []multicast) *part {
	p := new(part)
	for _, m := range multicasts {
		own := multicast{items: m.items}
		for _, edge := range m.edges {
			if edge.from == e.rank || edge.to == e.rank {
				own.edges = append(own.edges, edge)
			}
		}
		p.multicasts = append(p.multicasts, own)
		for _, s := range m.items {
			p.held = append(p.held, held{id: s.id})
		}
	}
	for _, ids := range [...][]syncvar.ID{e.own.Shared, e.own.Exclusive} {
		for _, id := range ids {
			p.held = append(p.held, held{id: id})
		}
	}
	slices.SortFunc(p.held, func(a, b held) int { return cmp.Compare(a.id, b.id) })
	p.held = slices.Compact(p.held)
	for i := range p.held {
		p.held[i].version = e.table.Version(p.held[i].id)
	}
	return p
}

// granted reports whether a plan grants all lists of Acquire.
func (s *schedule) granted(granted []bool) bool {
	if s.uniform() && s.only.Call != syncvar.Acquire {
		return true
	}
	for r, l := range s.all() {
		if l.Call == syncvar.Acquire && !granted[r] {
			return false
		}
	}
	return true
}

// catchUp brings the table up to date after phases that have repeated.
func (e *Engine) catchUp() {
	if e.behind == 0 {
		return
	}
	lag := uint64(e.course.lag)
	n := e.counts.Phases
	next := n - e.behind // the first phase that the table lacks
	replay := func(phases uint64) {
		for range phases {
			like := n - lag + (next+lag-n%lag)%lag // in the last cycle
			e.replay(e.course.at(like))
			next++
		}
	}
	if cycles := e.behind / lag; cycles > 1 {
		before := e.table.Clone()
		replay(lag)
		e.table.Extrapolate(before, cycles-1)
		next += (cycles - 1) * lag
	}
	replay(n - next)
	e.behind = 0
}

// replay changes the table as a phase with a schedule does that grants all lists.
func (e *Engine) replay(s *schedule) {
	lists := s.all()
	if err := e.table.Settle(lists); err != nil {
		panic(err) // the schedule has been settled before
	}
	if s.call == syncvar.Update {
		e.table.ApplyUpdate()
	}
	e.table.ApplyAll(lists)
}

// Version returns the version of a variable that this rank holds, or has held last.
func (e *Engine) Version(id syncvar.ID) syncvar.Version {
	if e.repeating && e.state == between {
		if v, ok := e.part.version(id); ok {
			if _, exclusive := slices.BinarySearch(e.own.Exclusive, id); exclusive {
				v++
			}
			return v
		}
	}
	return e.Table().Version(id)
}

// version returns the version of a variable before the phase.
func (e *Engine) version(id syncvar.ID) syncvar.Version {
	if e.repeating {
		if v, ok := e.part.version(id); ok {
			return v
		}
		panic(fmt.Sprintf("phase: rank %d has no part in variable %d", e.rank, id))
	}
	return e.table.Version(id)
}

func (p *part) version(id syncvar.ID) (v syncvar.Version, ok bool) {
	i, ok := slices.BinarySearchFunc(p.held, id, func(h held, id syncvar.ID) int { return cmp.Compare(h.id, id) })
	if !ok {
		return 0, false
	}
	return p.held[i].version, true
}
