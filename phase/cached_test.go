package phase

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// listText is the encoded list of a rank that wants one variable.
func listText(id syncvar.ID) []byte {
	return appendScheduled(nil, &syncvar.List{Call: syncvar.Acquire, Declared: 99, Exclusive: []syncvar.ID{id}})
}

// scheduleOfTexts returns the schedule of the lists of all ranks of a tree.
func scheduleOfTexts(t *testing.T, tree ringbuf.Tree, texts ...[]byte) *schedule {
	t.Helper()
	var key []byte
	for r, text := range texts {
		key = appendEntry(key, dimmnet.Rank(r), text)
	}
	s, err := newSchedule(string(key), tree)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSameBundleLater: bundles of equal bytes in phases with different expected schedules differ
// in what their marks mean, for each rank that may be marked, and for several engines in turn.
func TestSameBundleLater(t *testing.T) {
	tree := ringbuf.Tree{Nodes: 3, Arity: 2}
	for marked := range 3 {
		e := &Engine{tree: tree}
		e.replica, e.course = new(Replica), newCourse(3)
		for i := range 3 {
			e.course.past[i] = scheduleOfTexts(t, tree, listText(syncvar.ID(3*i)), listText(syncvar.ID(3*i+1)), listText(syncvar.ID(3*i+2)))
		}
		e.course.n, e.course.lag = 3, 3
		texts := [][]byte{listText(20), listText(21), listText(22)}
		var bundle []byte
		for r, text := range texts {
			if r == marked {
				text = appendMark(nil, 3)
			}
			bundle = appendEntry(bundle, dimmnet.Rank(r), text)
		}
		for i := range 3 {
			for range 2 { // two engines of the process decode it
				s, err := e.replica.decode(bundle, e)
				if err != nil {
					t.Fatal(err)
				}
				for r := range 3 {
					want := texts[r]
					if r == marked {
						want = listText(syncvar.ID(3*i + r))
					}
					if !bytes.Equal(s.text(dimmnet.Rank(r)), want) {
						t.Errorf("rank %d marked, phase %d: rank %d has the list %x, want %x", marked, e.course.n, r, s.text(dimmnet.Rank(r)), want)
					}
				}
			}
			e.course.n++
		}
	}
}

// TestTenuresOfAnotherCycle: what is kept of a cycle counts for that cycle alone, although another
// one is as long, or has begun at the same phase.
func TestTenuresOfAnotherCycle(t *testing.T) {
	tree := ringbuf.Tree{Nodes: 1, Arity: 2}
	r, c := new(Replica), newCourse(1)
	r.engines = 1
	r.followed.add(0, 1, 2)
	add := func(id syncvar.ID) { c.past[c.n] = scheduleOfTexts(t, tree, listText(id)); c.past[c.n].call = 0; c.n++ }
	for _, id := range []syncvar.ID{0, 1, 1, 2, 2, 2} {
		add(id)
	}
	for i, want := range []struct {
		lag, run int
		tenures  []syncvar.Version
	}{{3, 0, []syncvar.Version{0, 0, 3}}, {3, 3, []syncvar.Version{0, 0, 3}}, {5, 3, []syncvar.Version{0, 2, 3}}, {6, 3, []syncvar.Version{1, 2, 3}}, {1, 3, []syncvar.Version{0, 0, 1}}} {
		c.lag, c.run = want.lag, want.run
		got := r.tenuresOf(&c)
		for len(got) < 3 {
			got = append(slices.Clone(got), 0)
		}
		if !slices.Equal(got, want.tenures) {
			t.Errorf("cycle %d, of %d phases: tenures %v, want %v", i, want.lag, got, want.tenures)
		}
	}
	add(0)
	c.lag, c.run = 1, 0 // as long as the last one, and begun later
	if got := r.tenuresOf(&c); len(got) < 1 || got[0] != 1 {
		t.Errorf("a cycle of the same length that began later: tenures %v, want one of variable 0", got)
	}
}

// TestDivisionFollows: what a schedule says of followed variables is divided anew when a rank
// follows one more, also if it then follows another of as many.
func TestDivisionFollows(t *testing.T) {
	tree := ringbuf.Tree{Nodes: 2, Arity: 2}
	s := scheduleOfTexts(t, tree, listText(4), listText(7))
	var r tables
	for _, want := range [][2]int{{0, 2}, {1, 1}, {2, 0}} {
		if near, far := r.divide(s); len(near) != want[0] || len(far) != want[1] {
			t.Errorf("following %d variables: %d wants of them and %d of others, want %v", r.followed.count, len(near), len(far), want)
		}
		r.followed.add([]syncvar.ID{7, 4, 0}[want[0]])
	}
	// Two ranks follow one variable each: what concerns one does not concern the other.
	e := []*Engine{{rank: 0}, {rank: 1}}
	replica := new(Replica)
	e[0].following.add(4)
	e[1].following.add(9)
	for i, want := range []int{1, 0} {
		for range 2 {
			if names, _ := replica.concern(s, e[i]); names != want {
				t.Errorf("%d names concern rank %d, want %d", names, i, want)
			}
		}
	}
	e[1].following.add(7)
	if names, _ := replica.concern(s, e[1]); names != 1 {
		t.Errorf("%d names concern rank 1 when it follows one more, want 1", names)
	}
}

// TestPartsOfPhases: a part is found by its phase as long as it is in the window, whatever the
// phases around it have.
func TestPartsOfPhases(t *testing.T) {
	e := &Engine{}
	e.course = course{past: make([]*schedule, 4)}
	kept := make(map[uint64]*part)
	for n := range uint64(13) {
		e.course.n = n
		kept[n] = &part{steps: int(n)}
		e.keep(kept[n])
		for back := uint64(0); back < 4 && back <= n; back++ {
			if e.partOf(n-back) != kept[n-back] {
				t.Fatalf("in phase %d, the part of phase %d is %+v", n, n-back, e.partOf(n-back))
			}
		}
	}
}

// TestStandingGrants: a grant stands for its own hop, and only if it says so.
func TestStandingGrants(t *testing.T) {
	var s standing
	s.keep(3, grant{offset: 64, standing: true})
	s.keep(4, grant{offset: 128})
	s.keep(0, grant{offset: 256, standing: true})
	for hop, want := range map[int]dimmnet.Offset{0: 256, 3: 64} {
		if g, ok := s.of(hop); !ok || g.offset != want {
			t.Errorf("the grant of hop %d is %+v, %t: want %d", hop, g, ok, want)
		}
	}
	for _, hop := range []int{1, 2, 4, 5} {
		if g, ok := s.of(hop); ok {
			t.Errorf("hop %d has the grant %+v", hop, g)
		}
	}
}

// TestAllWordsAreEmptied: ready empties the grant and notice words of all hops, once in a while and
// every time, and says that it is done only then.
func TestAllWordsAreEmptied(t *testing.T) {
	p := relay{cfg: Config{Transfer: Push, FirstPhase: clearPhases}, net: inproc.New(inproc.Config{Bulk: 2000}), bytes: 5000, rounds: 2}
	p.before = func(e *Engine) error {
		b := e.method.(*push)
		first := e.phase
		for round := range uint64(3) {
			e.phase = (1 + round) * clearPhases
			for i := range b.words.count {
				for _, at := range []dimmnet.Offset{b.words.grant(i), b.words.notice(i), b.words.done(i)} {
					e.port.Store(e.rank, at, 5, dimmnet.WordBytes)
				}
			}
			for done := false; !done; {
				_, done = b.ready()
			}
			for i := range b.words.count {
				if e.port.Load(b.words.grant(i)) != 0 || e.port.Load(b.words.notice(i)) != 0 {
					return fmt.Errorf("round %d, rank %d: words %d of %d are not empty", round, e.rank, i, b.words.count)
				}
				if e.port.Load(b.words.done(i)) != 5 {
					return fmt.Errorf("round %d, rank %d: done word %d, which a PUSH may be writing, is changed", round, e.rank, i)
				}
				e.port.Store(e.rank, b.words.done(i), 0, dimmnet.WordBytes)
			}
			for _, quiet := range []uint64{0, 1, clearPhases - 1, clearPhases + 1} {
				if e.phase = quiet; quiet%clearPhases != 0 || quiet == 0 {
					if progress, done := b.ready(); progress || !done {
						return fmt.Errorf("phase %d waits for words to be emptied", quiet)
					}
				}
			}
		}
		e.phase = first
		return nil
	}
	p.run(t)
}

// TestEveryPhaseBeginsAnew: what is kept by peer, child or stream of a phase is as new in the next
// phase, for the first and for the last of them.
func TestEveryPhaseBeginsAnew(t *testing.T) {
	const peers = 5
	var f folding
	f.begin(&syncvar.List{Call: syncvar.Reduce}, peers)
	for i := range f.below {
		f.below[i] = append(f.below[i], 1, 2, 3)
	}
	f.begin(&syncvar.List{Call: syncvar.Barrier}, peers)
	for i, words := range f.below {
		if len(words) > 0 || f.width != 0 || len(f.words) > 0 {
			t.Errorf("child %d has %d bytes of words of the phase before; width %d, %d own", i, len(words), f.width, len(f.words))
		}
	}

	var s signals
	for range 3 {
		s.begin(peers)
		if want := []int{0, 1, 2, 3, 4}; !slices.Equal(s.due, want) {
			t.Errorf("signals of %v are due, want %v", s.due, want)
		}
		s.due = slices.Delete(s.due, 1, 4)
	}

	r := newRequests(peers)
	for range 3 {
		r.alike, r.posted, r.before = 2, peers, 3
		r.expect()
		if want := []int{0, 1, 2, 3, 4}; !slices.Equal(r.due, want) || r.alike+r.posted+r.before != 0 {
			t.Errorf("requests of %v are due, want %v; %+v", r.due, want, r)
		}
		r.due = append(r.due[:1], r.due[3:]...)
	}

	b := &push{roles: make([]*role, 3), copies: make([]wholeCopy, 2), held: true, moved: make(map[source]bool)}
	b.round = b.roles[:2]
	b.retract()
	if len(b.roles)+len(b.round)+len(b.copies) > 0 || b.held || b.pending() {
		t.Errorf("after it was taken back, a round has %+v", b)
	}
}

// abandonedMethod is a method that fails, and counts the calls of abandon.
type abandonedMethod struct {
	queued
	err       error
	abandoned int
}

func (m *abandonedMethod) slots() (ringbuf.Kind, int)                   { return ringbuf.Data, 8 }
func (m *abandonedMethod) ends(dimmnet.Rank) (dataSender, dataReceiver) { return nil, nil }
func (m *abandonedMethod) step() (bool, error)                          { return false, m.err }
func (m *abandonedMethod) pending() bool                                { return true }
func (m *abandonedMethod) abandon()                                     { m.abandoned++ }

// TestStepAbandons: a Step that fails, in either state, has told the method to abandon, once.
func TestStepAbandons(t *testing.T) {
	for _, s := range []state{gather, transfer} {
		m := &abandonedMethod{err: errors.New("boom")}
		e := &Engine{method: m, state: s}
		for range 2 {
			if _, err := e.Step(); err != m.err || m.abandoned != 1 {
				t.Errorf("state %d: Step returns %v, and abandon was called %d times: want once", s, err, m.abandoned)
			}
		}
	}
}
