package syncvar

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// packet is a message from one site to another.
type packet struct {
	action  Action
	release bool
	copied  int          // of a grant with data: the number of the newest write in the data
	pass    bool         // a reader should grant the action, on behalf of the owner
	owner   dimmnet.Rank // in pass, and in the grant that follows
}

// tenant is a rank, with its site, its program, and the state of its copy.
type tenant struct {
	site    Site
	program []Want // requests still to be made, in order; Ask sets Rank and Have
	waits   bool
	holds   bool
	copied  int      // the number of the newest write in the rank's copy
	due     int      // the number of writes at a brief request, which the grant must bring
	had     int      // copied at the last request
	open    bool     // other ranks may take the variable, and the site learns of it later
	taken   Hint     // the rank that was the last to take the variable from this one
	early   []packet // passes that overtook the grant to this rank
}

// lost reports whether another rank has taken the variable without the site's knowledge.
func (t *tenant) lost() bool { return t.open && t.taken.Version > t.site.hint.Version }

// lulled reports whether the rank waits for a change, and there is none after so many writes.
func (t *tenant) lulled(wrote int) bool { return t.site.asking.Waits && t.copied == wrote }

// settle tells the site which rank has taken the variable, and closes the variable unless brief.
func (t *tenant) settle(brief bool) {
	lost := t.lost()
	if lost {
		t.site.Lose(t.taken)
	}
	t.open = t.open && brief && !lost
}

// sites is the state of one variable at all ranks, with the packets in flight, in order for each
// pair of ranks.
type sites struct {
	ranks     []tenant
	wires     [][]packet // packets in flight, at index from*len(ranks)+to
	announced []Hint     // hints announced to all tables; they may not have landed everywhere
	wrote     int        // the number of writes so far
	trail     []string
	direct    bool // ranks take the variable from an owner that has left it free
	passes    bool // every reader gets the data from the reader before it
	reader    Hint // the last reader that got data, and their version
}

func newSites(programs [][]Want, direct bool) *sites {
	w := &sites{wires: make([][]packet, len(programs)*len(programs)), direct: direct}
	for r, p := range programs {
		w.ranks = append(w.ranks, tenant{site: *NewSite(dimmnet.Rank(r), 0), program: p, open: direct && r == 0})
	}
	return w
}

func (w *sites) clone() *sites {
	c := *w
	c.ranks, c.announced, c.trail = slices.Clone(w.ranks), slices.Clone(w.announced), slices.Clone(w.trail)
	for i := range c.ranks {
		s := &c.ranks[i].site
		c.ranks[i].early = slices.Clone(c.ranks[i].early)
		s.holders, s.waiting, s.deferred = slices.Clone(s.holders), slices.Clone(s.waiting), slices.Clone(s.deferred)
		s.parked = slices.Clone(s.parked)
	}
	c.wires = slices.Clone(w.wires)
	for i := range c.wires {
		c.wires[i] = slices.Clone(c.wires[i])
	}
	return &c
}

// key returns a string that only equal states share.
func (w *sites) key() string {
	var b strings.Builder
	fmt.Fprint(&b, w.wrote, w.announced, w.reader)
	for i := range w.ranks {
		t := &w.ranks[i]
		fmt.Fprint(&b, t.site, len(t.program), t.waits, t.holds, t.copied, t.due, t.had, t.open, t.taken, t.early)
	}
	for _, wire := range w.wires {
		fmt.Fprint(&b, wire, ";")
	}
	return b.String()
}

// next returns every state to which one step leads.
func (w *sites) next() (list []*sites, err error) {
	try := func(what string, f func(*sites) error) {
		c := w.clone()
		c.trail = append(c.trail, what)
		if e := f(c); e != nil && err == nil {
			err = fmt.Errorf("%s: %w", strings.Join(c.trail, ", "), e)
		}
		list = append(list, c)
	}
	for i := range w.ranks {
		t, r := &w.ranks[i], dimmnet.Rank(i)
		switch {
		case t.holds:
			try(fmt.Sprintf("release %d", i), func(c *sites) error { return c.release(r, false) })
			if t.site.access == Exclusive && t.site.Owns() {
				try(fmt.Sprintf("write and release %d", i), func(c *sites) error { return c.release(r, true) })
			}
		case !t.waits && len(t.program) > 0:
			try(fmt.Sprintf("ask %d", i), func(c *sites) error { return c.ask(r) })
			if c := w.clone(); w.direct && t.program[0].Access == Exclusive && c.take(r) {
				try(fmt.Sprintf("take %d", i), func(c *sites) error { c.take(r); return c.taken(r) })
			}
			for _, h := range w.announced {
				if h.Version > t.site.hint.Version {
					try(fmt.Sprintf("ask %d knowing %v", i, h), func(c *sites) error {
						c.ranks[r].site.Learn(h)
						return c.ask(r)
					})
				}
			}
		}
	}
	for i, wire := range w.wires {
		if len(wire) > 0 {
			from, to := dimmnet.Rank(i/len(w.ranks)), dimmnet.Rank(i%len(w.ranks))
			try(fmt.Sprintf("land %d->%d", from, to), func(c *sites) error { return c.land(from, to) })
		}
	}
	return list, err
}

func (w *sites) send(from, to dimmnet.Rank, m packet) {
	wire := &w.wires[int(from)*len(w.ranks)+int(to)]
	*wire = append(*wire, m)
}

func (w *sites) ask(r dimmnet.Rank) error {
	t := &w.ranks[r]
	want := t.program[0]
	t.program, t.waits, t.due, t.had = t.program[1:], true, w.wrote, t.copied
	t.settle(want.Brief && !want.Waits)
	actions, err := t.site.Ask(want)
	return w.act(r, actions, err)
}

// take lets a rank take the variable, if the rank finds the owner, and may take it there.
func (w *sites) take(r dimmnet.Rank) bool {
	t := &w.ranks[r]
	t.settle(false)
	for t.site.Takes() {
		o := &w.ranks[t.site.hint.Owner]
		switch version := o.site.hint.Version; {
		case o.lost():
			t.site.Learn(o.taken)
			continue
		case !o.open || version < t.site.hint.Version || t.site.Have() < o.site.Written():
			return false
		default:
			t.site.Take(version+1, o.site.Written())
			o.taken = t.site.Hint()
			t.program = t.program[1:]
			return true
		}
	}
	return false
}

// taken begins the tenure of a rank that has taken the variable.
func (w *sites) taken(r dimmnet.Rank) error {
	return w.begin(Action{Want: Want{Rank: r, Access: Exclusive}, To: r})
}

// act carries out the actions of a rank's site.
func (w *sites) act(at dimmnet.Rank, actions []Action, err error) error {
	for _, action := range actions {
		if action.Granted() && action.Rank == at {
			if err := w.begin(action); err != nil {
				return err
			}
			continue
		}
		m, to := packet{action: action, copied: w.ranks[at].copied, owner: at}, action.To
		if w.passes && action.Granted() && action.Data && action.Access == Shared {
			if w.reader.Version == action.Version && w.reader.Owner != action.Rank {
				m.pass, to = true, w.reader.Owner
			}
			w.reader = Hint{action.Version, action.Rank}
		}
		w.send(at, to, m)
	}
	return err
}

// pass lets a reader grant a request on behalf of the owner. It must have the version that the
// owner grants.
func (w *sites) pass(at dimmnet.Rank, m packet) error {
	t := &w.ranks[at]
	if s := &t.site; t.waits && s.Have() < m.action.Version {
		t.early = append(t.early, m)
		return nil
	} else if s.Have() != m.action.Version || s.Hint().Owner != m.owner {
		return fmt.Errorf("rank %d passes %+v on for rank %d, but has version %d and knows %+v", at, m.action, m.owner, s.Have(), s.Hint())
	}
	w.send(at, m.action.Rank, packet{action: m.action, copied: t.copied, owner: m.owner})
	return nil
}

// begin begins a rank's tenure and checks that it may begin.
func (w *sites) begin(action Action) error {
	t := &w.ranks[action.Rank]
	t.waits, t.holds = false, !action.Brief
	if action.Waits && t.had == w.wrote {
		return fmt.Errorf("%+v begins without a change since write %d", action, t.had)
	}
	if action.Brief {
		if t.copied < t.due {
			return fmt.Errorf("%+v brings write %d of %d", action, t.copied, t.due)
		}
		return nil
	}
	for i := range w.ranks {
		if o := &w.ranks[i]; i != int(action.Rank) && o.holds && (action.Access == Exclusive || o.site.Owns() && o.site.access == Exclusive) {
			return fmt.Errorf("%+v begins while rank %d holds it", action, i)
		}
	}
	if t.copied != w.wrote {
		return fmt.Errorf("%+v begins with write %d of %d", action, t.copied, w.wrote)
	}
	return nil
}

func (w *sites) release(r dimmnet.Rank, written bool) error {
	t := &w.ranks[r]
	t.holds = false
	if written {
		w.wrote++
		t.copied = w.wrote
	}
	if !t.site.Owns() {
		w.send(r, t.site.Lender(), packet{release: true})
		return nil
	}
	actions, err := t.site.Release(r, written)
	t.open = w.direct && t.site.Free()
	if h, ok := t.site.Announcement(); ok {
		w.announced = append(w.announced, h)
	}
	return w.act(r, actions, err)
}

func (w *sites) land(from, to dimmnet.Rank) error {
	wire := &w.wires[int(from)*len(w.ranks)+int(to)]
	m := (*wire)[0]
	*wire = (*wire)[1:]
	t := &w.ranks[to]
	switch {
	case m.release:
		actions, err := t.site.Release(from, false)
		return w.act(to, actions, err)
	case m.pass:
		return w.pass(to, m)
	case m.action.Granted():
		if m.action.Data {
			t.copied = m.copied
		}
		actions := t.site.Granted(m.owner, m.action.Version, m.action.Written)
		if err := w.begin(m.action); err != nil {
			return err
		}
		early := t.early
		t.early = nil
		for _, m := range early {
			if err := w.pass(to, m); err != nil {
				return err
			}
		}
		return w.act(to, actions, nil)
	}
	t.settle(m.action.Brief && !m.action.Waits)
	actions, err := t.site.Request(m.action.Want)
	return w.act(to, actions, err)
}

// explore visits all reachable states. In a final state one rank must own the variable, and no rank
// may wait but for a change that nobody has made.
func explore(t *testing.T, first *sites) (states int) {
	t.Helper()
	stack := []*sites{first}
	programs := make([][]Want, len(first.ranks))
	for i := range programs {
		programs[i] = first.ranks[i].program
	}
	seen := make(map[string]bool)
	for len(stack) > 0 {
		w := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		list, err := w.next()
		if err != nil {
			t.Fatalf("programs %v: %v", programs, err)
		}
		owners, waits := 0, false
		for i := range w.ranks {
			if w.ranks[i].site.Owns() && !w.ranks[i].lost() {
				owners++
			}
			waits = waits || w.ranks[i].waits && !w.ranks[i].lulled(w.wrote)
		}
		if owners > 1 || len(list) == 0 && (owners != 1 || waits) {
			t.Fatalf("programs %v: %s: %d owners, a rank waits: %v", programs, strings.Join(w.trail, ", "), owners, waits)
		}
		for _, next := range list {
			if key := next.key(); !seen[key] {
				seen[key] = true
				stack = append(stack, next)
			}
		}
	}
	return len(seen)
}

// exploreAll explores all orders in which three ranks can request and release a
// variable, and in which their packets and hints can land. Exclusive tenures must exclude others,
// every tenure must begin with the last write, and every request must be granted. Long tests have
// more requests.
func exploreAll(t *testing.T, direct bool) {
	t.Helper()
	shared, exclusive, brief := Want{Access: Shared}, Want{Access: Exclusive}, Want{Access: Shared, Brief: true}
	modes := []Want{shared, exclusive, brief}
	states := 0
	for _, a := range modes {
		for _, b := range modes {
			for _, c := range modes {
				states += explore(t, newSites([][]Want{{a}, {b, exclusive}, {c}}, direct))
				if longtest.Thorough() && !a.Brief && !c.Brief {
					states += explore(t, newSites([][]Want{{exclusive}, {a, b}, {exclusive, c}}, direct))
				}
			}
		}
	}
	t.Logf("%d states", states)
}

// TestSiteExhaustively explores the protocol of requests. TestTakesExhaustively also lets ranks
// take the variable from its owner, whenever it is free.
func TestSiteExhaustively(t *testing.T) { exploreAll(t, false) }
func TestTakesExhaustively(t *testing.T) {
	if testing.Short() {
		t.Skip("short: nothing here is concurrent")
	}
	exploreAll(t, true)
}

// TestWaitsExhaustively lets ranks wait for a change, with and without Takes.
func TestWaitsExhaustively(t *testing.T) {
	if testing.Short() {
		t.Skip("short: nothing here is concurrent")
	}
	exclusive, change := Want{Access: Exclusive}, Want{Access: Exclusive, Waits: true}
	states := 0
	for _, direct := range []bool{false, true} {
		for _, programs := range [][][]Want{
			{{exclusive}, {exclusive, change}, {exclusive}},
			{{change}, {change, exclusive}, {exclusive}},
			{{exclusive}, {{Access: Shared, Waits: true}}, {change, exclusive}},
			{{exclusive}, {{Access: Shared, Brief: true, Waits: true}}, {exclusive, change}},
		} {
			states += explore(t, newSites(programs, direct))
		}
	}
	t.Logf("%d states", states)
}

// TestPassesExhaustively lets every reader get the data from the reader before it. The copy of that
// reader must have the version that the owner grants.
func TestPassesExhaustively(t *testing.T) {
	shared, exclusive, brief := Want{Access: Shared}, Want{Access: Exclusive}, Want{Access: Shared, Brief: true}
	last := []Want{shared, brief}
	if !testing.Short() {
		last = append(last, exclusive)
	}
	states := 0
	for _, a := range []Want{shared, brief, exclusive} {
		for _, b := range last {
			w := newSites([][]Want{{exclusive}, {a, b}, {shared, exclusive}}, false)
			w.passes = true
			states += explore(t, w)
		}
	}
	// The third reader may learn of the fourth before it is granted the variable.
	w := newSites([][]Want{{exclusive}, {shared}, {shared}, {brief}}, false)
	w.passes = true
	states += explore(t, w)
	t.Logf("%d states", states)
}

// TestSiteRefuses makes requests and releases that break the protocol. Each must return an error.
func TestSiteRefuses(t *testing.T) {
	refused := func(what string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	request := func(s *Site, w Want) error {
		_, err := s.Request(w)
		return err
	}
	s := NewSite(0, 0)
	_, err := s.Release(1, false)
	refused("a release of a variable that is not held", err)
	if err := request(s, Want{Rank: 1, Access: Shared}); err != nil {
		t.Fatal(err)
	}
	refused("a request of a holder", request(s, Want{Rank: 1, Access: Exclusive}))
	_, err = s.Release(1, true)
	refused("a write in a shared tenure", err)
	_, err = s.Release(2, false)
	refused("a release by another rank", err)
	if err := request(s, Want{Rank: 2, Access: Exclusive}); err != nil {
		t.Fatal(err)
	}
	refused("a request of a rank that waits", request(s, Want{Rank: 2, Access: Shared, Brief: true}))
	refused("a version from the future", request(s, Want{Rank: 3, Access: Shared, Have: 1}))
	refused("a hint from the future", request(s, Want{Rank: 3, Access: Shared, Asked: 1}))
	if _, err := s.Release(1, false); err != nil { // rank 2 owns the variable now
		t.Fatal(err)
	}
	refused("a request of the owner", request(s, Want{Rank: 2, Access: Shared}))
}

// TestSiteSendsWhatIsNewer checks that a grant has data only if a tenure has written since the
// version of the requesting rank, and that a former owner knows the version of its copy.
func TestSiteSendsWhatIsNewer(t *testing.T) {
	for _, written := range []bool{false, true} {
		s := NewSite(0, 0)
		if _, err := s.Ask(Want{Access: Exclusive}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Release(0, written); err != nil {
			t.Fatal(err)
		}
		actions, err := s.Request(Want{Rank: 1, Access: Exclusive})
		if err != nil || len(actions) != 1 || actions[0].Data != written || actions[0].Version != 2 {
			t.Errorf("written %v: actions %+v, error %v", written, actions, err)
		}
		actions, err = s.Ask(Want{Access: Shared})
		if err != nil || len(actions) != 1 || actions[0].To != 1 || actions[0].Have != 1 {
			t.Errorf("written %v: the former owner, which has version 1, asks with %+v, error %v", written, actions, err)
		}
	}
}

// TestHint checks the encoding of hints, and that a newer hint replaces an older one.
func TestHint(t *testing.T) {
	h := Hint{Version: 1<<40 + 3, Owner: 65535}
	if got := HintOf(h.Word()); got != h {
		t.Errorf("hint %+v is decoded as %+v", h, got)
	}
	s := NewSite(3, 0)
	for _, c := range []struct{ in, want Hint }{
		{Hint{2, 1}, Hint{2, 1}},
		{Hint{1, 2}, Hint{2, 1}}, // the hint is older
		{Hint{9, 3}, Hint{2, 1}}, // the hint names the rank itself
		{Hint{3, 0}, Hint{3, 0}},
	} {
		if s.Learn(c.in); s.Hint() != c.want {
			t.Errorf("after Learn(%+v) the hint is %+v, want %+v", c.in, s.Hint(), c.want)
		}
	}
	if s = NewSite(0, 0); s.Owns() {
		s.Learn(Hint{5, 1})
	}
	if s.Hint() != (Hint{}) {
		t.Errorf("the owner adopted another hint: %+v", s.Hint())
	}
}
