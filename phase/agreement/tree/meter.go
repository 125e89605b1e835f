package tree

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// meter charges a simulated host for the work that its rank would have if it were alone in its
// process. It keeps what the rank follows, whatever other ranks of its process follow.
type meter struct {
	p *Protocol
	idSet
	unseen int // names in the lists of phases that have not changed the rank's far table
	behind int // the number of these phases
	// lookedUp is how many schedules the rank has searched for variables since it last looked at
	// all.
	lookedUp int

	virtual  bool  // work is charged; otherwise nothing here is kept
	repeated bool  // the last phase has repeated
	counted  cycle // the cycle whose tenures the rank has counted
}

// concern returns how many names in a schedule are of variables that the rank of p follows, and
// the work of searching them, in entries. Eight names are a line, and lists that name no variable
// near the followed ones cost nothing. When a rank looks for the first time, it also decides who
// is granted: it sorts the lists, and looks at all names twice if the lists are not apart.
func (r *Replica) concern(s *schedule, p *Protocol) (names, looks int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.concerns == nil {
		s.concerns = make([]concern, s.nodes)
	}
	f, c := &p.meter, &s.concerns[p.m.Rank]
	if c.count == 1+f.count {
		return c.names, 0
	}
	lists := s.all()
	if c.count == 0 {
		if looks = 2 * s.nodes; !s.apart {
			looks += 2 * s.names
		}
	}
	*c = concern{count: 1 + f.count}
	for i := range lists {
		if !f.near(&lists[i]) {
			continue
		}
		looks += lists[i].Entries()
		for _, ids := range idsOf(&lists[i]) {
			for _, id := range ids {
				if f.contains(id) {
					c.names++
				}
			}
		}
	}
	return c.names, (looks + 7) / 8
}

// planned charges the work for a phase that does not repeat.
func (f *meter) planned(j *joint) {
	if !f.virtual {
		return
	}
	p := f.p
	if j.whole {
		p.replica.followedBy(f)
		p.m.Charge(dimmnet.Step, len(p.outcome.Lists)+len(j.plan.Transfers))
		return
	}
	p.m.Charge(dimmnet.Step, 1+p.part.steps)
	p.m.Charge(dimmnet.Entry, f.entries(p.schedule))
}

// followedBy makes a rank follow all variables that the ranks of the process follow.
func (r *Replica) followedBy(f *meter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, followed := range r.followed.has {
		if followed {
			f.add(syncvar.ID(id))
		}
	}
	f.unseen, f.behind, f.lookedUp = 0, 0, 0
}

// entries returns a rank's work to apply a phase to its tables, in entries.
func (f *meter) entries(s *schedule) (n int) {
	p := f.p
	own := &s.all()[p.m.Rank]
	n = f.behind * (f.add(own.Shared...) + f.add(own.Exclusive...))
	if f.lookedUp += n; n > 0 && f.lookedUp > f.unseen || f.behind > p.course.window() {
		n = f.unseen // all are looked at
		f.unseen, f.behind, f.lookedUp = 0, 0, 0
	}
	names, looks := p.replica.concern(s, p)
	f.unseen += s.names - names
	f.behind++
	return n + names + looks
}

// cycle charges the work to apply the phases of a cycle.
func (f *meter) cycle() {
	if !f.virtual {
		return
	}
	n, p := 0, f.p
	for i := range uint64(p.course.lag) {
		if s := p.course.at(p.course.n - 1 - i); s.call == 0 {
			n += f.entries(s)
		}
	}
	p.m.Charge(dimmnet.Entry, n)
}

// foresees charges the work of a phase that may repeat, once in a cycle.
func (f *meter) foresees() {
	if now := f.p.course.cycle(); f.counted != now {
		f.cycle()
		f.counted = now
	}
}

// joins charges the work of the cycle that has ended, when a phase does not repeat.
func (f *meter) joins() {
	if f.repeated {
		f.cycle()
		f.repeated = false
	}
}
