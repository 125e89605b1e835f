package phase

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// A phase repeats if the schedules of the last phases are a cycle that has run twice, and if the
// phase has the schedule expected of it. Then nobody plans. What moves in the phase is what moved
// one cycle before, with later versions: whatever the table was before the cycle, after it the same
// rank owns each variable that the cycle names, and the copies are as far behind. So a rank does
// its part of one cycle before, and leaves the table as it is until a phase needs it (Replica).
//
// Only phases repeat that have moved all data.

// part is what one rank does in a phase that may repeat.
type part struct {
	multicasts []multicast // that this rank takes part in, with this rank's edges alone
	held       []held      // the variables that it moves or wants, by ID
	standing   *standing   // shared by the parts of phases that repeat each other
	steps      int         // how many transfers a rank looks at to derive the multicasts
}

// held is a variable and its version before the phase.
type held struct {
	id      syncvar.ID
	version syncvar.Version
}

// repeats reports whether the present phase repeats.
func (e *Engine) repeats() bool {
	expected, _ := e.course.expected()
	return expected != nil && e.schedule == expected && e.cycles()
}

// Repeats reports whether the rank is in a phase that repeats one of before, or that it expects to.
func (e *Engine) Repeats() bool { return e.foreseen || e.repeating }

// cycles reports whether the last phases are a cycle that has run twice.
func (e *Engine) cycles() bool {
	lag := e.course.lag
	return lag > 0 && e.course.run >= lag && e.plain >= uint64(2*lag)
}

// repeat does this rank's part of a phase that repeats, which foresee has begun.
func (e *Engine) repeat() {
	e.foreseen, e.repeating = false, true
	e.keep(e.part)
	e.counts.Repeated++
	e.following.repeated = true
	e.plain++
	s := e.schedule
	e.lists, e.plan = nil, Plan{Complete: s.call}
	if s.call == 0 {
		e.lists, e.plan.Granted = s.all(), s.granted()
	}
	e.charge(dimmnet.Step, 1+len(e.part.multicasts))
	e.move()
	e.method.(*push).held = false
}

// keep keeps this rank's part of the present phase for phases that repeat it.
func (e *Engine) keep(p *part) {
	if len(e.parts) == 0 {
		e.parts = make([]*part, e.course.window())
	}
	e.parts[e.course.n%uint64(len(e.parts))] = p
}

func (e *Engine) partOf(phase uint64) *part { return e.parts[phase%uint64(len(e.parts))] }

// after returns the part that follows p one cycle later. tenures has, by variable, the number of
// exclusive tenures in a cycle.
func (p *part) after(tenures []syncvar.Version) *part {
	p.standing.given = p.standing.fits
	next := &part{multicasts: make([]multicast, len(p.multicasts)), held: make([]held, len(p.held)), standing: p.standing}
	in := func(id syncvar.ID) syncvar.Version {
		if int(id) < len(tenures) {
			return tenures[id]
		}
		return 0
	}
	for i, h := range p.held {
		next.held[i] = held{h.id, h.version + in(h.id)}
	}
	for i, m := range p.multicasts {
		items := make([]source, len(m.items))
		for j, s := range m.items {
			items[j] = source{s.id, s.since + in(s.id)}
		}
		next.multicasts[i] = multicast{m.owner, items, m.edges}
	}
	return next
}

// join plans a phase that does not repeat. It records this rank's part if the phase may be one of a
// cycle: if its schedule has been met before.
func (e *Engine) join() error {
	e.retract()
	if e.following.repeated {
		e.chargeCycle()
		e.following.repeated = false
	}
	e.part = &part{standing: new(standing)}
	meets := e.uniform && e.own.Meets() && !e.updates(e.own.Call)
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
		e.chargePlan(j)
	}
	if e.schedule.since < e.course.n {
		e.keep(e.part)
	} else {
		e.keep(nil)
	}
	if e.plain++; e.plan.Partial {
		e.plain = 0
	}
	if meets {
		e.end()
		return nil
	}
	e.move()
	e.method.(*push).prepare(e.part.multicasts, e.part.standing)
	return nil
}

// move begins the transfers of this rank's part.
func (e *Engine) move() {
	e.state = transfer
	if len(e.part.multicasts) > 0 {
		e.observer.Moving()
	}
}

// checkAlike compares the declarations of all ranks with those of this rank.
func (e *Engine) checkAlike(j *joint) error {
	complete := j.plan.Complete != 0
	first := &j.schedule.all()[0]
	if !j.schedule.alike {
		e.lists = e.schedule.all()
		if err := e.checkDeclarations(); err != nil || !complete {
			return err
		}
		return e.checkDeclaredAll()
	}
	if e.rank == 0 {
		return nil
	}
	if first.Declared <= uint32(e.space.Declared()) {
		if err := e.space.CheckSame(e.rank, 0, e.alike, first.Declared, first.Digest); err != nil {
			return fmt.Errorf("phase: %w", err)
		}
		e.alike = first.Declared
	}
	if complete {
		if err := e.space.CheckCount(e.rank, 0, first.Declared); err != nil {
			return fmt.Errorf("phase: %w", err)
		}
	}
	return nil
}

// Version returns the version of a variable that this rank holds, or has held last.
func (e *Engine) Version(id syncvar.ID) syncvar.Version {
	if e.tree.Arity > 0 && e.state == between && e.part != nil {
		if v, ok := e.part.version(id); ok {
			if _, exclusive := slices.BinarySearch(e.own.Exclusive, id); exclusive && e.plan.Granted[e.rank] {
				v++
			}
			return v
		}
	}
	if e.tree.Arity > 0 {
		return e.replica.version(e, id)
	}
	return e.table.Version(id)
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
