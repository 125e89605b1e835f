package syncvar

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// said is a message between two sites.
type said struct {
	turn    Turn
	release bool
	copied  int // of a grant with data: the newest write that goes along
}

// tenant is a rank of a world: its site, its program, and what is in its copy.
type tenant struct {
	site    Site
	program []Want // what it still wants, one after the other; Rank and Have are filled in
	waits   bool
	holds   bool
	copied  int // the newest write in its copy
	due     int // what a brief request must bring: the writes when it was asked
}

// sites is all there is of one variable: ranks, and what is on its way between
// them, in order for each pair.
type sites struct {
	ranks []tenant
	wires [][]said // from*len(ranks)+to
	told  []Hint   // what releases have written to all tables; a rank may not have it yet
	wrote int      // writes so far
	trail []string
}

func newSites(programs [][]Want) *sites {
	w := &sites{wires: make([][]said, len(programs)*len(programs))}
	for r, p := range programs {
		w.ranks = append(w.ranks, tenant{site: *NewSite(dimmnet.Rank(r)), program: p})
	}
	return w
}

func (w *sites) clone() *sites {
	c := *w
	c.ranks, c.told, c.trail = slices.Clone(w.ranks), slices.Clone(w.told), slices.Clone(w.trail)
	for i := range c.ranks {
		s := &c.ranks[i].site
		s.holders, s.waiting, s.kept = slices.Clone(s.holders), slices.Clone(s.waiting), slices.Clone(s.kept)
	}
	c.wires = slices.Clone(w.wires)
	for i := range c.wires {
		c.wires[i] = slices.Clone(c.wires[i])
	}
	return &c
}

// key tells states apart.
func (w *sites) key() string {
	var b strings.Builder
	fmt.Fprint(&b, w.wrote, w.told)
	for i := range w.ranks {
		t := &w.ranks[i]
		fmt.Fprint(&b, t.site, len(t.program), t.waits, t.holds, t.copied, t.due)
	}
	for _, wire := range w.wires {
		fmt.Fprint(&b, wire, ";")
	}
	return b.String()
}

// next lists every state that may follow.
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
			if t.site.mode == Exclusive && t.site.Owns() {
				try(fmt.Sprintf("write and release %d", i), func(c *sites) error { return c.release(r, true) })
			}
		case !t.waits && len(t.program) > 0:
			try(fmt.Sprintf("ask %d", i), func(c *sites) error { return c.ask(r) })
			for _, h := range w.told {
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

func (w *sites) send(from, to dimmnet.Rank, m said) {
	wire := &w.wires[int(from)*len(w.ranks)+int(to)]
	*wire = append(*wire, m)
}

func (w *sites) ask(r dimmnet.Rank) error {
	t := &w.ranks[r]
	want := t.program[0]
	t.program, t.waits, t.due = t.program[1:], true, w.wrote
	turns, err := t.site.Ask(want)
	return w.act(r, turns, err)
}

// act sends what follows at a rank.
func (w *sites) act(at dimmnet.Rank, turns []Turn, err error) error {
	for _, turn := range turns {
		if turn.Granted() && turn.Rank == at {
			if err := w.begin(turn); err != nil {
				return err
			}
			continue
		}
		w.send(at, turn.To, said{turn: turn, copied: w.ranks[at].copied})
	}
	return err
}

// begin begins a rank's tenure and checks it.
func (w *sites) begin(turn Turn) error {
	t := &w.ranks[turn.Rank]
	t.waits, t.holds = false, !turn.Brief
	if turn.Brief {
		if t.copied < t.due {
			return fmt.Errorf("%+v brings write %d of %d", turn, t.copied, t.due)
		}
		return nil
	}
	for i := range w.ranks {
		if o := &w.ranks[i]; i != int(turn.Rank) && o.holds && (turn.Mode == Exclusive || o.site.Owns() && o.site.mode == Exclusive) {
			return fmt.Errorf("%+v begins while rank %d holds it", turn, i)
		}
	}
	if t.copied != w.wrote {
		return fmt.Errorf("%+v begins with write %d of %d", turn, t.copied, w.wrote)
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
		w.send(r, t.site.Lender(), said{release: true})
		return nil
	}
	turns, err := t.site.Release(r, written)
	if h, ok := t.site.News(); ok {
		w.told = append(w.told, h)
	}
	return w.act(r, turns, err)
}

func (w *sites) land(from, to dimmnet.Rank) error {
	wire := &w.wires[int(from)*len(w.ranks)+int(to)]
	m := (*wire)[0]
	*wire = (*wire)[1:]
	t := &w.ranks[to]
	switch {
	case m.release:
		turns, err := t.site.Release(from, false)
		return w.act(to, turns, err)
	case m.turn.Granted():
		if m.turn.Data {
			t.copied = m.copied
		}
		turns := t.site.Granted(from, m.turn.Version, m.turn.Written)
		if err := w.begin(m.turn); err != nil {
			return err
		}
		return w.act(to, turns, nil)
	}
	turns, err := t.site.Request(m.turn.Want)
	return w.act(to, turns, err)
}

// explore visits all states that can follow. Where nothing can happen any more, all
// must have had their tenures, and one rank owns the variable.
func explore(t *testing.T, programs [][]Want) (states int) {
	t.Helper()
	stack := []*sites{newSites(programs)}
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
			if w.ranks[i].site.Owns() {
				owners++
			}
			waits = waits || w.ranks[i].waits
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

// TestSiteExhaustively goes through all orders in which three ranks can ask for,
// get and release a variable, and in which what they say and write to each other's
// tables can land: tenures exclude each other, each begins with what the last one
// wrote, and all come to an end.
func TestSiteExhaustively(t *testing.T) {
	shared, exclusive, brief := Want{Mode: Shared}, Want{Mode: Exclusive}, Want{Mode: Shared, Brief: true}
	modes := []Want{shared, exclusive, brief}
	states := 0
	for _, a := range modes {
		for _, b := range modes {
			for _, c := range modes {
				states += explore(t, [][]Want{{a}, {b, exclusive}, {c}})
				if !testing.Short() && !a.Brief && !c.Brief {
					states += explore(t, [][]Want{{exclusive}, {a, b}, {exclusive, c}})
				}
			}
		}
	}
	t.Logf("%d states", states)
}

// TestSiteRefuses: what no rank that keeps the rules says.
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
	s := NewSite(0)
	_, err := s.Release(1, false)
	refused("a release of what is not held", err)
	if err := request(s, Want{Rank: 1, Mode: Shared}); err != nil {
		t.Fatal(err)
	}
	refused("a request of who holds it", request(s, Want{Rank: 1, Mode: Exclusive}))
	_, err = s.Release(1, true)
	refused("a write in a shared tenure", err)
	_, err = s.Release(2, false)
	refused("a release by another", err)
	if err := request(s, Want{Rank: 2, Mode: Exclusive}); err != nil {
		t.Fatal(err)
	}
	refused("a request of who waits", request(s, Want{Rank: 2, Mode: Shared, Brief: true}))
	refused("a version that was never", request(s, Want{Rank: 3, Mode: Shared, Have: 1}))
	refused("a hint that was never", request(s, Want{Rank: 3, Mode: Shared, Asked: 1}))
	if _, err := s.Release(1, false); err != nil { // rank 2 owns it now
		t.Fatal(err)
	}
	refused("a request of the owner", request(s, Want{Rank: 2, Mode: Shared}))
}

// TestSiteSendsWhatIsNewer: data go along with a grant only if a tenure has written
// since, and who was the owner knows what it had.
func TestSiteSendsWhatIsNewer(t *testing.T) {
	for _, written := range []bool{false, true} {
		s := NewSite(0)
		if _, err := s.Ask(Want{Mode: Exclusive}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Release(0, written); err != nil {
			t.Fatal(err)
		}
		turns, err := s.Request(Want{Rank: 1, Mode: Exclusive})
		if err != nil || len(turns) != 1 || turns[0].Data != written || turns[0].Version != 2 {
			t.Errorf("written %v: turns %+v, error %v", written, turns, err)
		}
		turns, err = s.Ask(Want{Mode: Shared})
		if err != nil || len(turns) != 1 || turns[0].To != 1 || turns[0].Have != 1 {
			t.Errorf("written %v: the former owner asks by %+v, error %v: it has version 1", written, turns, err)
		}
	}
}

// TestHint: a hint in a word, and which one counts.
func TestHint(t *testing.T) {
	h := Hint{Version: 1<<40 + 3, Owner: 65535}
	if got := HintOf(h.Word()); got != h {
		t.Errorf("%+v became %+v", h, got)
	}
	s := NewSite(3)
	for _, c := range []struct{ in, want Hint }{
		{Hint{2, 1}, Hint{2, 1}},
		{Hint{1, 2}, Hint{2, 1}}, // older
		{Hint{9, 3}, Hint{2, 1}}, // itself
		{Hint{3, 0}, Hint{3, 0}},
	} {
		if s.Learn(c.in); s.Hint() != c.want {
			t.Errorf("after %+v: %+v, want %+v", c.in, s.Hint(), c.want)
		}
	}
	if s = NewSite(0); s.Owns() {
		s.Learn(Hint{5, 1})
	}
	if s.Hint() != (Hint{}) {
		t.Errorf("the owner learned that another is: %+v", s.Hint())
	}
}
