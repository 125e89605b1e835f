package tree

import (
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// A rank follows the variables that it has ever wanted. No others concern it: the owner of a
// variable has wanted it, and so have all ranks that get its data or pass them on. So the ranks of
// a process plan only with the variables that one of them follows, and keep these in the near
// table. What the lists say of other variables waits in their schedules, and changes the far table
// later. When a rank wants a variable for the first time, it looks that variable up in the waiting
// schedules, or brings the far table up to date if that is less work. An Update needs all
// variables, and so does a phase that is wide.
//
//	near   variables that a rank of the process has ever wanted: up to date after each phase
//	far    all others: as they were some phases ago; behind has these phases
//
// A rank looks at a list once, to decide whether it is granted and which variables it names: when
// the rank first plans a phase with that schedule. Programs repeat. So for a known schedule a
// rank's work depends only on its own variables, not on the number of ranks.

// tables are the tables of a Replica.
type tables struct {
	followed idSet // the variables of the near table

	near, far syncvar.Table
	behind    []stretch // the phases that have not changed the far table yet
	waiting   int       // the number of their schedules
	names     int       // the number of names in all their lists
	lookedUp  int       // the schedules that lookUp has searched since far was up to date
	fault     error     // found in a schedule that was searched
}

// stretch is phases with the given schedules, one after another; times says how often.
type stretch struct {
	phases []*schedule
	times  uint64
}

// division divides what the lists of a schedule say into what concerns followed variables and what
// concerns others. It holds as long as the number of followed variables is the same. It also says
// how much concerns each rank.
type division struct {
	near, far []syncvar.Wants
	count     int       // the number of followed variables, plus 1
	concerns  []concern // by rank of this process

	index map[syncvar.ID][]syncvar.Wants // what the lists say of one variable; see of
}

// concern counts the names in a schedule whose variables a rank follows.
type concern struct {
	names int
	count int // the number of variables that the rank followed then, plus 1; 0: not computed
}

// idSet is a set of variables.
type idSet struct {
	has    []bool // by variable
	count  int
	lo, hi syncvar.ID // the first and the last
}

func (s *idSet) contains(id syncvar.ID) bool { return int(id) < len(s.has) && s.has[id] }

// add adds variables, and returns how many of them are new.
func (s *idSet) add(ids ...syncvar.ID) (added int) {
	for _, id := range ids {
		for int(id) >= len(s.has) {
			s.has = append(s.has, false)
		}
		if s.has[id] {
			continue
		}
		if s.has[id] = true; s.count == 0 {
			s.lo, s.hi = id, id
		}
		s.lo, s.hi = min(s.lo, id), max(s.hi, id)
		s.count++
		added++
	}
	return added
}

// near reports whether a list may name a variable of the set: one between its first and last.
func (s *idSet) near(l *syncvar.List) bool {
	lo, hi, ok := l.Span()
	return ok && s.count > 0 && lo <= s.hi && hi >= s.lo
}

// divide divides what the lists of a schedule say.
func (t *tables) divide(s *schedule) (near, far []syncvar.Wants) {
	if d := &s.division; d.count != 1+t.followed.count {
		d.near, d.far, d.count = nil, nil, 1+t.followed.count
		granted := s.granted()
		for i := range s.lists {
			for _, is := range [...]bool{true, false} {
				if is && !t.followed.near(&s.lists[i]) {
					continue
				}
				w, some := s.lists[i].Of(t.followed.contains, is)
				if !some {
					continue
				}
				if w.Rank, w.Granted = dimmnet.Rank(i), granted[i]; is {
					d.near = append(d.near, w)
				} else {
					d.far = append(d.far, w)
				}
			}
		}
	}
	return s.near, s.far
}

// of returns what the lists of a schedule say of some variables.
func (s *schedule) of(ids []syncvar.ID) (ws []syncvar.Wants) {
	if s.index == nil {
		s.index = make(map[syncvar.ID][]syncvar.Wants)
		for i, granted := range s.granted() {
			for set, named := range idsOf(&s.lists[i]) {
				for at := range named {
					w := syncvar.Wants{Rank: dimmnet.Rank(i), Granted: granted}
					*[...]*[]syncvar.ID{&w.Shared, &w.Exclusive, &w.Clean}[set] = named[at:][:1]
					s.index[named[at]] = append(s.index[named[at]], w)
				}
			}
		}
	}
	for _, id := range ids {
		ws = append(ws, s.index[id]...)
	}
	return ws
}

// followWanted follows the variables that ranks of this process want in the present phase of p,
// for which the near table is up to date. If all is set, it follows all variables of all ranks.
func (r *Replica) followWanted(p *Protocol, all bool) {
	if all {
		r.followAll()
	}
	lists := p.schedule.all()
	if r.engines == 1 && !all {
		lists = lists[p.m.Rank:][:1]
	}
	var added []syncvar.ID
	for i := range lists {
		for _, ids := range idsOf(&lists[i]) {
			for _, id := range ids {
				if !r.followed.contains(id) {
					added = append(added, id)
				}
			}
		}
	}
	r.follow(added)
}

// followAll follows all variables that the tables know of.
func (r *Replica) followAll() {
	r.bringUp()
	var all []syncvar.ID
	for id := range r.far.Variables() {
		if !r.followed.contains(id) {
			all = append(all, id)
		}
	}
	r.follow(all)
}

// follow moves variables from the far table to the near one.
func (r *Replica) follow(ids []syncvar.ID) {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return
	}
	from := &r.far
	if r.lookedUp += len(ids) * r.waiting; r.lookedUp < r.names {
		from = r.lookUp(ids)
	} else {
		r.bringUp()
	}
	r.followed.add(ids...)
	for _, id := range ids {
		r.near.Move(from, id)
	}
}

// lookUp takes variables from the far table, and returns a table in which they are up to date.
func (r *Replica) lookUp(ids []syncvar.ID) *syncvar.Table {
	t := r.far.Empty()
	for _, id := range ids {
		t.Move(&r.far, id)
	}
	r.applyBehind(t, func(s *schedule) []syncvar.Wants { return s.of(ids) })
	return t
}

// bringUp brings the far table up to date.
func (r *Replica) bringUp() {
	r.applyBehind(&r.far, func(s *schedule) []syncvar.Wants {
		_, far := r.divide(s)
		return far
	})
	clear(r.behind)
	r.behind, r.waiting, r.names, r.lookedUp = r.behind[:0], 0, 0, 0
}

// applyBehind makes the changes that a table in the state of the far table lacks. A fault is the
// fault of a rank of another process; the next plan returns it.
func (r *Replica) applyBehind(t *syncvar.Table, of func(*schedule) []syncvar.Wants) {
	for _, s := range r.behind {
		if err := s.apply(t, of); err != nil && r.fault == nil {
			r.fault = err
		}
	}
}

// replay applies a stretch to the near table.
func (r *Replica) replay(s stretch, window int) {
	err := s.apply(&r.near, func(s *schedule) []syncvar.Wants {
		near, _ := r.divide(s)
		return near
	})
	if err != nil {
		panic(err) // the schedules have been settled before
	}
	r.later(s, window)
}

// later notes a stretch for the far table, unless the process has all ranks: then it is empty.
func (r *Replica) later(s stretch, window int) {
	if r.engines > 1 {
		return
	}
	r.behind = append(r.behind, s)
	for _, one := range s.phases {
		if !one.meets() {
			r.waiting++
			one.all()
			r.names += one.names
		}
	}
	if len(r.behind) > window {
		r.bringUp()
	}
}

// meets reports whether all ranks only meet in a phase with the schedule.
func (s *schedule) meets() bool { return s.uniform() && s.only.Meets() }

// apply changes a table as a stretch of phases does that move all data. of returns what the lists
// of a schedule say of the table's variables.
func (s stretch) apply(t *syncvar.Table, of func(*schedule) []syncvar.Wants) error {
	var before *syncvar.Table
	if s.times > 1 {
		before = t.Clone()
	}
	for _, one := range s.phases {
		var wants []syncvar.Wants
		if !one.meets() {
			wants = of(one)
		}
		if err := t.SettleWants(wants); err != nil {
			return err
		}
		switch one.call {
		case syncvar.Update:
			t.ApplyUpdate()
		case 0:
			t.ApplyWants(wants)
		}
	}
	if s.times > 1 {
		t.Extrapolate(before, s.times-1)
	}
	return nil
}
