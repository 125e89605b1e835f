package tree

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/agreement"
	"github.com/fagus-dsm/fagus/phase/movement"
	"github.com/fagus-dsm/fagus/syncvar"
)

// A phase repeats if the schedules of the last phases are a cycle that has run twice, and if the
// phase has the schedule expected of it. Then nobody plans. The same data move as one cycle
// before, with later versions: whatever the table was before the cycle, after it the same rank
// owns each variable that the cycle names, and the copies are equally far behind. So a rank does
// its part of one cycle before, and leaves the table as it is until a phase needs it (Replica).
//
// A phase repeats only if it moved all data.

// part is what one rank does in a phase that may repeat.
type part struct {
	multicasts []movement.Multicast // that this rank takes part in, with only this rank's edges
	variables  []variable           // the variables that it moves or wants, by ID
	standing   *movement.Standing   // shared by the parts of a phase and its repetitions
	steps      int                  // how many transfers a rank looks at to derive the multicasts
}

// variable is a variable of a part, and its version before the phase.
type variable struct {
	id      syncvar.ID
	version syncvar.Version
}

// repeats reports whether the present phase repeats.
func (p *Protocol) repeats() bool {
	expected, _ := p.course.expected()
	return expected != nil && p.schedule == expected && p.cycles()
}

// cycles reports whether the last phases are a cycle that has run twice.
func (p *Protocol) cycles() bool {
	lag := p.course.lag
	return lag > 0 && p.course.run >= lag && p.plain >= uint64(2*lag)
}

// repeat does this rank's part of a phase that repeats. foresee has begun it.
func (p *Protocol) repeat() {
	p.foreseen, p.repeating = false, true
	p.keep(p.part)
	p.repetitions.Repeated++
	p.meter.repeated = true
	p.plain++
	s := p.schedule
	p.outcome.Lists, p.outcome.Plan = nil, agreement.Plan{Complete: s.call}
	if s.call == 0 {
		p.outcome.Lists, p.outcome.Granted = s.all(), s.granted()
	}
	p.m.Charge(dimmnet.Step, 1+len(p.part.multicasts))
	p.moving()
	p.push.Repeat()
}

// foresee begins this rank's part of a phase that repeats if all ranks send what is expected of
// them. This rank does.
func (p *Protocol) foresee() {
	if !p.cycles() {
		return
	}
	p.meter.foresees()
	p.part = p.partOf(p.course.n - uint64(p.course.lag)).after(p.replica.tenuresOf(&p.course))
	p.foreseen, p.before = true, p.m.Port.Counters()
	p.push.Foresee(p.part.multicasts, p.part.standing)
}

// retract takes back what foresee has done: the phase does not repeat.
func (p *Protocol) retract() {
	if !p.foreseen {
		return
	}
	p.foreseen = false
	p.push.Retract()
}

// keep keeps this rank's part of the present phase for phases that repeat it.
func (p *Protocol) keep(now *part) {
	if len(p.parts) == 0 {
		p.parts = make([]*part, p.course.window())
	}
	p.parts[p.course.n%uint64(len(p.parts))] = now
}

func (p *Protocol) partOf(phase uint64) *part { return p.parts[phase%uint64(len(p.parts))] }

// after returns the part one cycle later than p. tenures has, by variable, the number of exclusive
// tenures in a cycle.
func (p *part) after(tenures []syncvar.Version) *part {
	p.standing.Give()
	next := &part{multicasts: make([]movement.Multicast, len(p.multicasts)), variables: make([]variable, len(p.variables)), standing: p.standing}
	in := func(id syncvar.ID) syncvar.Version {
		if int(id) < len(tenures) {
			return tenures[id]
		}
		return 0
	}
	for i, h := range p.variables {
		next.variables[i] = variable{h.id, h.version + in(h.id)}
	}
	for i, m := range p.multicasts {
		items := make([]movement.Source, len(m.Items))
		for j, s := range m.Items {
			items[j] = movement.Source{ID: s.ID, Since: s.Since + in(s.ID)}
		}
		next.multicasts[i] = movement.Multicast{Owner: m.Owner, Items: items, Edges: m.Edges}
	}
	return next
}

// join plans a phase that does not repeat. It records this rank's part if the phase may belong to
// a cycle: if its schedule has occurred before.
func (p *Protocol) join() (moves bool, err error) {
	p.retract()
	p.meter.joins()
	p.part = &part{standing: new(movement.Standing)}
	meets := p.uniform && p.own.Meets() && (p.own.Call != syncvar.Update || p.m.Space.IsOneCopy())
	partial := false
	if meets {
		p.replica.meet(p)
		p.outcome.Complete = p.own.Call
	} else {
		j, err := p.replica.plan(p)
		if err == nil {
			err = p.checkAlike(j)
		}
		if err != nil {
			return false, err
		}
		p.outcome.Lists, p.outcome.Plan, p.part, partial = p.schedule.all(), j.plan, j.parts[p.m.Rank], j.partial
		if p.outcome.Complete == syncvar.Reduce && len(p.fold.all) == 0 {
			return false, fmt.Errorf("phase: the ranks reduce vectors of different lengths; rank %d one of %d words", p.m.Rank, p.fold.width)
		}
		p.meter.planned(j)
	}
	if p.schedule.since < p.course.n {
		p.keep(p.part)
	} else {
		p.keep(nil)
	}
	if p.plain++; partial {
		p.plain = 0
	}
	if meets {
		p.end()
		return false, nil
	}
	p.moving()
	p.push.Prepare(p.part.multicasts, p.part.standing)
	return true, nil
}

// moving says that the data of this rank's part have to move.
func (p *Protocol) moving() {
	if len(p.part.multicasts) > 0 {
		p.observer.On(syncvar.Event{Kind: syncvar.Moving})
	}
}

// checkAlike compares the declarations of all ranks with those of this rank.
func (p *Protocol) checkAlike(j *joint) error {
	complete := j.plan.Complete != 0
	first := &j.schedule.all()[0]
	if !j.schedule.alike {
		lists := j.schedule.all()
		if _, err := p.declarations.Check(p.m.Space, p.m.Rank, lists); err != nil || !complete {
			return err
		}
		return agreement.CheckCounts(p.m.Space, p.m.Rank, lists)
	}
	if p.m.Rank > 0 && first.Declared <= uint32(p.m.Space.Declared()) {
		if err := p.declarations.CheckOne(p.m.Space, p.m.Rank, 0, first); err != nil {
			return err
		}
	}
	if complete {
		return agreement.CheckCounts(p.m.Space, p.m.Rank, j.schedule.all()[:1])
	}
	return nil
}

// Version returns the version of a variable that this rank holds or held last.
func (p *Protocol) Version(id syncvar.ID) syncvar.Version {
	if p.part != nil {
		if v, ok := p.part.version(id); ok {
			if _, exclusive := slices.BinarySearch(p.own.Exclusive, id); exclusive && p.outcome.Granted[p.m.Rank] {
				v++
			}
			return v
		}
	}
	return p.replica.version(p, id)
}

// Changed reports what has happened to a variable since a version.
func (p *Protocol) Changed(id syncvar.ID, since syncvar.Version) (tenure, content bool) {
	return p.replica.changed(p, id, since)
}

// Moved returns the version of a variable that this rank moves, before the phase.
func (p *Protocol) Moved(id syncvar.ID) syncvar.Version {
	v, ok := p.part.version(id)
	if !ok {
		panic(fmt.Sprintf("phase: rank %d has no part in variable %d", p.m.Rank, id))
	}
	return v
}

func (p *part) version(id syncvar.ID) (v syncvar.Version, ok bool) {
	i, ok := slices.BinarySearchFunc(p.variables, id, func(h variable, id syncvar.ID) int { return cmp.Compare(h.id, id) })
	if !ok {
		return 0, false
	}
	return p.variables[i].version, true
}
