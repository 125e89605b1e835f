package phase

import (
	"bytes"
	"cmp"
	"slices"
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Replica is what all ranks know alike where lists travel over a tree: the schedules of the last
// phases, the table, and the plan of the present phase. The engines of one process share it, so
// that what follows from the same lists is computed once.
//
// It is safe to change the table for a phase when the lists of all ranks for the next one have
// arrived, or when a rank needs it between the two: until then ranks in the phase use their parts,
// which have the versions.
type Replica struct {
	mu      sync.Mutex
	engines int
	known   map[string]*schedule

	bundle   []byte // the last one that was decoded
	decoded  *schedule
	inBundle uint64 // its phase

	table syncvar.Table
	cycle cycle
	done  uint64 // the number of phases whose effects the table has
	last  *joint // the last one; the table has its effects if done is larger than its phase
}

// cycle is what the ranks do in each cycle of a course.
type cycle struct {
	lag     int
	since   uint64            // the phase since which the course has that lag
	tenures []syncvar.Version // by variable: the number of exclusive tenures
}

// tenures returns, by variable, the number of exclusive tenures in a cycle of a course. Variables
// behind the end have none.
func (r *Replica) tenures(c *course) []syncvar.Version {
	r.mu.Lock()
	defer r.mu.Unlock()
	since := c.n - uint64(c.run)
	if r.cycle.lag == c.lag && r.cycle.since == since {
		return r.cycle.tenures
	}
	r.cycle = cycle{lag: c.lag, since: since}
	for i := range uint64(c.lag) {
		s := c.at(c.n - 1 - i)
		if s.call != 0 {
			continue // no rank wants anything
		}
		granted := s.granted()
		for rank, l := range s.all() {
			if !granted[rank] {
				continue
			}
			for _, id := range l.Exclusive {
				for int(id) >= len(r.cycle.tenures) {
					r.cycle.tenures = append(r.cycle.tenures, 0)
				}
				r.cycle.tenures[id]++
			}
		}
	}
	return r.cycle.tenures
}

// joint is what all ranks do in a phase that does not repeat.
type joint struct {
	phase    uint64
	schedule *schedule
	planned  bool // plan is set; else the ranks only meet
	plan     Plan
	parts    []*part       // by rank; nil for a rank of another process
	same     *syncvar.List // the list of rank 0, if all have made the same declarations
}

// add adds an engine, in whose tables versions begin with first.
func (r *Replica) add(first syncvar.Version) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.engines++
	r.table.StartAt(first)
}

// owner returns the owner of a variable, as far as the table says now.
func (r *Replica) owner(id syncvar.ID) dimmnet.Rank {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.table.State(id).Owner
}

// decode returns the schedule of a bundle of all ranks, which is of the present phase of e. The
// engines of all ranks expect the same schedule in a phase.
func (r *Replica) decode(bundle []byte, e *Engine) (*schedule, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	phase := e.course.n
	if r.decoded != nil && r.inBundle == phase && bytes.Equal(r.bundle, bundle) {
		return r.decoded, nil
	}
	key, err := e.keyOf(bundle)
	if err != nil {
		return nil, err
	}
	found := r.known[string(key)]
	if found == nil {
		if found, err = newSchedule(string(key), e.tree); err != nil {
			return nil, err
		}
		found.since = phase
		found.last.Store(phase)
		r.forget(phase, e.course.window())
		r.known[found.key] = found
	}
	r.bundle, r.decoded, r.inBundle = append(r.bundle[:0], bundle...), found, phase
	return found, nil
}

// forget forgets schedules that are behind the window of every engine, whenever there are twice as
// many as a window holds. Ranks are at most one phase apart.
func (r *Replica) forget(phase uint64, window int) {
	if r.known == nil {
		r.known = make(map[string]*schedule)
	}
	if len(r.known) < 2*window {
		return
	}
	for key, old := range r.known {
		if old.last.Load()+uint64(window)+2 < phase {
			delete(r.known, key)
		}
	}
}

// meet records that the ranks only meet in the present phase of e.
func (r *Replica) meet(e *Engine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begins(&e.course) {
		r.last = &joint{phase: e.course.n, schedule: e.schedule}
	}
}

// begins reports whether no engine has recorded or planned the next phase of a course. Then it
// brings the table up to date.
func (r *Replica) begins(c *course) bool {
	if r.last != nil && r.last.phase == c.n {
		return false
	}
	r.catchUp(c)
	return true
}

// plan returns what all ranks do in the present phase of e.
func (r *Replica) plan(e *Engine) (*joint, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.begins(&e.course) {
		return r.last, nil
	}
	j := &joint{phase: e.course.n, schedule: e.schedule, planned: true, parts: make([]*part, e.tree.Nodes)}
	lists := e.schedule.all()
	if err := r.table.Settle(lists); err != nil {
		return nil, err
	}
	table := &r.table
	if e.space.IsOneCopy() {
		table = nil
	}
	if err := j.plan.derive(nil, 0, lists, table); err != nil {
		return nil, err
	}
	numbered, rest := newMulticasts(j.plan.Transfers, e.method.(*push).words.count)
	j.plan = j.plan.only(numbered, rest)
	j.same = &lists[0]
	for i := range lists {
		if lists[i].Declared != lists[0].Declared || lists[i].Digest != lists[0].Digest {
			j.same = nil
		}
	}
	j.divide(r, numbered, e.rank)
	r.last = j
	return j, nil
}

// divide makes the parts of the ranks, or that of one rank if the process has no other.
func (j *joint) divide(r *Replica, multicasts []multicast, only dimmnet.Rank) {
	lists := j.schedule.all()
	for i := range lists {
		if r.engines > 1 || dimmnet.Rank(i) == only {
			j.parts[i] = &part{standing: new(standing)}
		}
	}
	for _, m := range multicasts {
		for _, edge := range m.edges {
			for _, rank := range [...]dimmnet.Rank{edge.from, edge.to} {
				if p := j.parts[rank]; p != nil {
					p.join(&m, edge)
				}
			}
		}
	}
	for i, p := range j.parts {
		if p != nil {
			p.hold(&lists[i], &r.table)
		}
	}
}

// join adds an edge of a multicast. All edges of a multicast are added one after the other.
func (p *part) join(m *multicast, e edge) {
	if n := len(p.multicasts); n > 0 && &p.multicasts[n-1].items[0] == &m.items[0] {
		p.multicasts[n-1].edges = append(p.multicasts[n-1].edges, e)
		return
	}
	p.multicasts = append(p.multicasts, multicast{owner: m.owner, items: m.items, edges: []edge{e}})
}

// hold sets the variables that p holds: those of its multicasts, and those that the rank wants.
func (p *part) hold(l *syncvar.List, table *syncvar.Table) {
	for _, m := range p.multicasts {
		for _, s := range m.items {
			p.held = append(p.held, held{id: s.id})
		}
	}
	for _, ids := range [...][]syncvar.ID{l.Shared, l.Exclusive} {
		for _, id := range ids {
			p.held = append(p.held, held{id: id})
		}
	}
	slices.SortFunc(p.held, func(a, b held) int { return cmp.Compare(a.id, b.id) })
	p.held = slices.Compact(p.held)
	for i := range p.held {
		p.held[i].version = table.Version(p.held[i].id)
	}
}

// catchUp gives the table the effects of all phases of a course.
func (r *Replica) catchUp(c *course) {
	if r.last != nil && r.last.phase == r.done && r.done < c.n {
		r.finish(r.last)
		r.done++
	}
	if r.done < c.n {
		r.repeat(c)
	}
}

// finish gives the table the effects of a phase that has not repeated.
func (r *Replica) finish(j *joint) {
	if !j.planned {
		r.replay(j.schedule)
		return
	}
	if j.plan.Complete == syncvar.Update {
		r.table.ApplyUpdate()
	}
	if j.plan.Partial {
		r.table.ApplyPart(j.plan.Transfers)
	}
	r.table.Apply(j.schedule.all(), j.plan.Granted)
}

// repeat gives the table the effects of all further phases of a course, which have repeated.
func (r *Replica) repeat(c *course) {
	lag := uint64(c.lag)
	replay := func(phases uint64) {
		for range phases {
			like := c.n - lag + (r.done+lag-c.n%lag)%lag // in the last cycle
			r.replay(c.at(like))
			r.done++
		}
	}
	if cycles := (c.n - r.done) / lag; cycles > 1 {
		before := r.table.Clone()
		replay(lag)
		r.table.Extrapolate(before, cycles-1)
		r.done += (cycles - 1) * lag
	}
	replay(c.n - r.done)
}

// replay changes the table as a phase with a schedule does that moves all data.
func (r *Replica) replay(s *schedule) {
	if s.uniform() && s.only.Meets() {
		r.table.SettleAll()
	} else if err := r.table.Settle(s.all()); err != nil {
		panic(err) // the schedule has been settled before
	}
	if s.call == syncvar.Update {
		r.table.ApplyUpdate()
	}
	if s.call == 0 {
		r.table.Apply(s.all(), s.granted())
	}
}

// upToDate returns the table after the last phase of e, which is between two phases.
func (r *Replica) upToDate(e *Engine) *syncvar.Table {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.catchUp(&e.course)
	return &r.table
}
