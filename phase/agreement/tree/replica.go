package tree

import (
	"bytes"
	"cmp"
	"slices"
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/agreement"
	"github.com/fagus-dsm/fagus/phase/movement"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Replica is what all ranks know alike where lists travel over a tree: the schedules of the last
// phases, the table, and the plan of the present phase. The engines of one process share it, so
// that conclusions from the same lists are drawn once. A rank that is alone in its process plans
// only for itself (concern.go).
//
// A phase may change the table when the lists of all ranks for the next phase have arrived, or
// between the two phases when a rank needs it. Until then ranks in the phase use their parts, which
// have the versions.
type Replica struct {
	mu      sync.Mutex
	engines int
	known   map[string]*schedule

	bundle   []byte // the last one that was decoded
	decoded  *schedule
	inBundle uint64 // its phase

	tables
	cycle   cycle
	tenures []syncvar.Version // of cycle; see tenuresOf

	done uint64 // the number of phases that have changed the near table
	last *joint // the last one; it has changed the table if done is larger than its phase
}

// cycle tells the cycles of a course apart.
type cycle struct {
	lag   int
	since uint64 // the phase since which the course has that lag
}

// tenuresOf returns, by variable that the process follows, the number of exclusive tenures in a
// cycle of a course. Variables beyond the end of the slice have none.
func (r *Replica) tenuresOf(c *course) []syncvar.Version {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := c.cycle(); r.cycle != now {
		r.cycle, r.tenures = now, nil
		for i := range uint64(c.lag) {
			if s := c.at(c.n - 1 - i); s.call == 0 {
				r.count(s)
			}
		}
	}
	return r.tenures
}

// count adds the exclusive tenures of a phase with a schedule to r.tenures.
func (r *Replica) count(s *schedule) {
	near, _ := r.divide(s)
	for _, w := range near {
		if !w.Granted {
			continue
		}
		for _, id := range w.Exclusive {
			for int(id) >= len(r.tenures) {
				r.tenures = append(r.tenures, 0)
			}
			r.tenures[id]++
		}
	}
}

// joint is what all ranks do in a phase that does not repeat.
type joint struct {
	phase    uint64
	schedule *schedule
	planned  bool // plan is set; else the ranks only meet
	plan     agreement.Plan
	partial  bool    // one phase cannot move all data, so this one grants nothing
	whole    bool    // it plans for all ranks, whatever the process follows
	parts    []*part // by rank; nil for a rank of another process
}

// add adds an engine, in whose tables versions begin with first.
func (r *Replica) add(first syncvar.Version) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.engines++
	r.near.StartAt(first)
	r.far.StartAt(first)
}

// owner returns the owner of a variable, as the tables are now.
func (r *Replica) owner(id syncvar.ID) dimmnet.Rank {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.followed.contains(id) {
		r.bringUp()
		return r.far.State(id).Owner
	}
	return r.near.State(id).Owner
}

// version returns the version of a variable after the last phase of p, which is between phases.
func (r *Replica) version(p *Protocol, id syncvar.ID) syncvar.Version {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tableOf(p, id).Version(id)
}

// changed is Table.Changed after the last phase of p, which is between phases.
func (r *Replica) changed(p *Protocol, id syncvar.ID, since syncvar.Version) (tenure, content bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tableOf(p, id).Changed(id, since)
}

// tableOf returns the table that has a variable, as it is after the last phase of p.
func (r *Replica) tableOf(p *Protocol, id syncvar.ID) *syncvar.Table {
	r.catchUp(&p.course)
	if !r.followed.contains(id) {
		r.bringUp()
		return &r.far // no rank of the process has ever wanted it
	}
	return &r.near
}

// decode returns the schedule of a bundle of all ranks from the present phase of p. In a phase the
// engines of all ranks expect the same schedule.
func (r *Replica) decode(bundle []byte, p *Protocol) (*schedule, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	phase := p.course.n
	if r.decoded != nil && r.inBundle == phase && bytes.Equal(r.bundle, bundle) {
		return r.decoded, nil
	}
	key, err := p.keyOf(bundle)
	if err != nil {
		return nil, err
	}
	found := r.known[string(key)]
	if found == nil {
		if found, err = newSchedule(string(key), p.tree); err != nil {
			return nil, err
		}
		found.since = phase
		found.last.Store(phase)
		r.forget(phase, p.course.window())
		r.known[found.key] = found
	}
	r.bundle, r.decoded, r.inBundle = append(r.bundle[:0], bundle...), found, phase
	return found, nil
}

// forget forgets schedules that are behind the window of every engine, whenever there are twice as
// many schedules as a window holds. Ranks are at most one phase apart.
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

// meet records that the ranks only meet in p's present phase.
func (r *Replica) meet(p *Protocol) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begins(&p.course) {
		r.last = &joint{phase: p.course.n, schedule: p.schedule}
	}
}

// begins reports whether no engine has yet recorded or planned the next phase of a course. If so,
// it brings the table up to date.
func (r *Replica) begins(c *course) bool {
	if r.last != nil && r.last.phase == c.n {
		return false
	}
	r.catchUp(c)
	return true
}

// plan returns what all ranks of this process do in the present phase of p.
func (r *Replica) plan(p *Protocol) (*joint, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.begins(&p.course) {
		return r.last, nil
	}
	s, words, nodes := p.schedule, p.push.Words(), p.tree.Nodes
	j := &joint{phase: p.course.n, schedule: s, planned: true, parts: make([]*part, nodes)}
	j.whole = s.wide(words) || s.call == syncvar.Update
	if s.fault != nil {
		return nil, s.fault
	}
	if r.followWanted(p, j.whole); r.fault != nil {
		return nil, r.fault
	}
	near, _ := r.divide(s)
	if err := r.near.SettleWants(near); err != nil {
		return nil, err
	}
	j.plan = agreement.Plan{Granted: s.granted(), Complete: s.call}
	switch {
	case p.m.Space.IsOneCopy():
	case s.call == syncvar.Update:
		j.plan.Transfers = r.near.Updates(nil)
	default:
		j.plan.Transfers = r.near.WantedTransfers(nil, near)
	}
	if j.whole { // all ranks know all hops: numbers one after the other are the fewest
		nodes = 0
	}
	numbered, rest := movement.NewMulticasts(j.plan.Transfers, words, nodes)
	if len(rest) > 0 {
		j.plan, j.partial = only(numbered, s.nodes), true
	}
	j.share(r, numbered, p.m.Rank)
	r.last = j
	return j, nil
}

// share makes the parts of all ranks, or only of rank own if it is alone in the process.
func (j *joint) share(r *Replica, multicasts []movement.Multicast, own dimmnet.Rank) {
	lists := j.schedule.all()
	for i := range lists {
		if r.engines > 1 || dimmnet.Rank(i) == own {
			j.parts[i] = &part{standing: new(movement.Standing)}
		}
	}
	for _, m := range multicasts {
		for _, edge := range m.Edges {
			for _, rank := range [...]dimmnet.Rank{edge.From, edge.To} {
				if p := j.parts[rank]; p != nil {
					p.join(&m, edge)
				}
			}
		}
	}
	for i, p := range j.parts {
		if p != nil {
			p.setVariables(&lists[i], &r.near)
		}
	}
}

// only returns the plan of a phase that moves some multicasts and leaves others to later phases.
// It grants nothing and completes no call: all ranks repeat their calls.
func only(numbered []movement.Multicast, nodes int) (p agreement.Plan) {
	p.Granted = make([]bool, nodes)
	for _, c := range numbered {
		for _, item := range c.Items {
			for _, e := range c.Edges {
				p.Transfers = append(p.Transfers, syncvar.Transfer{
					ID: item.ID, From: e.From, To: e.To, Since: item.Since, Relay: e.From != c.Edges[0].From})
			}
		}
	}
	return p
}

// join adds an edge of a multicast. The edges of a multicast are added one after the other.
func (p *part) join(m *movement.Multicast, e movement.Edge) {
	if n := len(p.multicasts); n > 0 && &p.multicasts[n-1].Items[0] == &m.Items[0] {
		p.multicasts[n-1].Edges = append(p.multicasts[n-1].Edges, e)
		return
	}
	p.multicasts = append(p.multicasts, movement.Multicast{Owner: m.Owner, Items: m.Items, Edges: []movement.Edge{e}})
	p.steps += len(m.Items) * len(m.Edges)
}

// setVariables sets the variables of p: what its multicasts move, and what the rank wants.
func (p *part) setVariables(l *syncvar.List, table *syncvar.Table) {
	for _, m := range p.multicasts {
		for _, s := range m.Items {
			p.variables = append(p.variables, variable{id: s.ID})
		}
	}
	for _, ids := range [...][]syncvar.ID{l.Shared, l.Exclusive} {
		for _, id := range ids {
			p.variables = append(p.variables, variable{id: id})
		}
	}
	slices.SortFunc(p.variables, func(a, b variable) int { return cmp.Compare(a.id, b.id) })
	p.variables = slices.Compact(p.variables)
	for i := range p.variables {
		p.variables[i].version = table.Version(p.variables[i].id)
	}
}

// catchUp applies all phases of a course to the near table, and notes them for the far one.
func (r *Replica) catchUp(c *course) {
	if r.last != nil && r.last.phase == r.done && r.done < c.n {
		r.finish(r.last, c.window())
		r.done++
	}
	if r.done < c.n {
		r.repeat(c)
	}
}

// finish applies a phase that has not repeated to the near table.
func (r *Replica) finish(j *joint, window int) {
	once := stretch{[]*schedule{j.schedule}, 1}
	switch {
	case !j.planned:
		r.replay(once, window)
		return
	case j.partial:
		r.near.ApplyPart(j.plan.Transfers)
	case j.plan.Complete == syncvar.Update:
		r.near.ApplyUpdate()
	default:
		near, _ := r.divide(j.schedule)
		r.near.ApplyWants(near)
	}
	r.later(once, window)
}

// repeat applies the further phases of a course, which have all repeated, to the near table.
func (r *Replica) repeat(c *course) {
	lag := uint64(c.lag)
	like := func(phases uint64) (s []*schedule) {
		for i := range phases {
			s = append(s, c.at(c.n-lag+(r.done+i+lag-c.n%lag)%lag)) // in the last cycle
		}
		return s
	}
	if cycles := (c.n - r.done) / lag; cycles > 1 {
		r.replay(stretch{like(lag), cycles}, c.window())
		r.done += cycles * lag
	}
	r.replay(stretch{like(c.n - r.done), 1}, c.window())
	r.done = c.n
}

// upToDate returns the table of all variables after the last phase of p, which is between phases.
func (r *Replica) upToDate(p *Protocol) *syncvar.Table {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.catchUp(&p.course)
	r.followAll()
	return &r.near
}
