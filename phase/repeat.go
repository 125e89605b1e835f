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
	e.keep(e.counts.Phases, now)
	e.keep(e.counts.Phases-2*lag, nil)
	e.part, e.repeating = now, true
	e.counts.Repeated++
	e.plain++
	s := e.schedule
	if e.lists = nil; !s.uniform() {
		e.lists = s.lists
	}
	if e.granted == nil {
		e.granted = make([]bool, s.nodes)
	}
	e.granted[e.rank] = e.own.Call == syncvar.Acquire
	e.plan = Plan{Granted: e.granted, Complete: s.call}
	e.charge(dimmnet.Step, 1+len(now.multicasts))
	e.move()
	return nil
}

func (e *Engine) keep(phase uint64, p *part) {
	if len(e.parts) == 0 {
		e.parts = make([]*part, e.course.window())
	}
	e.parts[phase%uint64(len(e.parts))] = p
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

// joined plans a phase that does not repeat, and records this rank's part of it if the phase may be
// one of a cycle: if its schedule has been met before.
func (e *Engine) join() error {
	e.part, e.repeating = new(part), false
	meets := e.uniform && e.own.Meets() && !e.updates()
	if meets {
		e.replica.meet(e)
		e.plan.Complete, e.plan.Partial = e.own.Call, false
	} else {
		j, err := e.replica.plan(e)
		if err == nil {
			err = e.checkAlike(j)
		}
		if err != nil {
			return err
		}
		e.lists, e.plan, e.part = e.schedule.all(), j.plan, j.parts[e.rank]
		if e.plan.Complete == syncvar.Reduce && len(e.fold.all) == 0 {
			return fmt.Errorf("phase: the ranks reduce vectors of different lengths; rank %d one of %d words", e.rank, e.fold.width)
		}
		e.charge(dimmnet.Step, len(e.lists)+len(e.plan.Transfers))
	}
	e.keep(e.counts.Phases, nil)
	if e.schedule.since < e.counts.Phases {
		e.keep(e.counts.Phases, e.part)
	}
	if e.plain++; !meets && (e.plan.Partial || !e.schedule.granted(e.plan.Granted)) {
		e.plain = 0
	}
	if meets {
		e.end()
		return nil
	}
	e.move()
	return nil
}

// move begins the transfers of this rank's part.
func (e *Engine) move() {
	e.state = transfer
	if e.watch != nil && len(e.part.multicasts) > 0 {
		e.watch.Moving()
	}
	e.method.(*push).prepare(e.part.multicasts)
}

// checkAlike compares the declarations of all ranks with those of this rank.
func (e *Engine) checkAlike(j *joint) error {
	complete := j.plan.Complete != 0 && j.plan.Complete != syncvar.End
	if j.same == nil {
		e.lists = e.schedule.all()
		if err := e.checkDeclarations(); err != nil || !complete {
			return err
		}
		return e.checkDeclaredAll()
	}
	if e.rank == 0 {
		return nil
	}
	if j.same.Declared <= uint32(e.space.Declared()) {
		if err := e.space.CheckSame(e.rank, 0, e.alike, j.same.Declared, j.same.Digest); err != nil {
			return fmt.Errorf("phase: %w", err)
		}
		e.alike = j.same.Declared
	}
	if complete {
		if err := e.space.CheckCount(e.rank, 0, j.same.Declared); err != nil {
			return fmt.Errorf("phase: %w", err)
		}
	}
	return nil
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

// Version returns the version of a variable that this rank holds, or has held last.
func (e *Engine) Version(id syncvar.ID) syncvar.Version {
	if e.tree.Arity > 0 && e.state == between && e.part != nil {
		if v, ok := e.part.version(id); ok {
			if _, exclusive := slices.BinarySearch(e.own.Exclusive, id); exclusive {
				v++
			}
			return v
		}
	}
	return e.Table().Version(id)
}

// version returns the version of a variable that this rank moves, before the phase.
func (e *Engine) version(id syncvar.ID) syncvar.Version {
	if e.tree.Arity == 0 {
		return e.table.Version(id)
	}
	v, ok := e.part.version(id)
	if !ok {
		panic(fmt.Sprintf("phase: rank %d has no part in variable %d", e.rank, id))
	}
	return v
}

func (p *part) version(id syncvar.ID) (v syncvar.Version, ok bool) {
	i, ok := slices.BinarySearchFunc(p.held, id, func(h held, id syncvar.ID) int { return cmp.Compare(h.id, id) })
	if !ok {
		return 0, false
	}
	return p.held[i].version, true
}
