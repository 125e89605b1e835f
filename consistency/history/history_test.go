package history

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

const (
	s, x = syncvar.Shared, syncvar.Exclusive
	none = dimmnet.Time(-1)
	us   = dimmnet.Microsecond
)

// maker makes histories of two variables, "a" and "b", whose first content is 0.
type maker struct{ *History }

func newMaker(nodes int) maker {
	m := maker{New()}
	m.Begin(nodes)
	for _, r := range m.ranks {
		r.Bind("a", 0)
		r.Bind("b", 0)
	}
	return m
}

// tenure adds a tenure of rank r that begins with content saw. If the tenure ends, it ends with
// content left.
func (m maker) tenure(r dimmnet.Rank, id syncvar.ID, access syncvar.Access, v syncvar.Version, saw, left uint64, from, to dimmnet.Time) {
	m.Rank(r).Call()
	m.Rank(r).Acquired(id, access, v, saw, from*us)
	if to != none {
		m.Rank(r).Released(id, access, v, left, to*us)
	}
}

// meet lets all ranks meet. If saw is given, the meeting is an Update that brings variable 0 to
// version v, and rank r sees content saw[r].
func (m maker) meet(at dimmnet.Time, v syncvar.Version, saw ...uint64) {
	for r := range m.nodes() {
		m.Rank(r).Call()
		m.Rank(r).Entered(at * us)
	}
	for r := range m.nodes() {
		m.Rank(r).Left(at * us)
		if int(r) < len(saw) {
			m.Rank(r).Updated(0, v, saw[r], at*us)
		}
	}
}

func (m maker) nodes() dimmnet.Rank { return dimmnet.Rank(len(m.ranks)) }

// TestCheck checks histories that satisfy the axioms, and for each axiom histories that violate
// it.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		make func(m maker)
		want string // is part of the violation; empty: no violation
	}{
		"one after the other": {func(m maker) {
			m.tenure(0, 0, x, 1, 0, 5, 1, 2)
			m.tenure(1, 0, s, 1, 5, 5, 3, 9)
			m.tenure(2, 0, s, 1, 5, 5, 4, 5)
			m.tenure(2, 0, x, 2, 5, 6, 9, 10)
			m.Rank(1).Observed(0, 5, 11*us)
			m.meet(20, 2, 6, 6, 6)
			m.Rank(1).Observed(0, 6, 21*us)
		}, ""},
		"rebound": {func(m maker) {
			m.tenure(0, 0, x, 1, 0, 5, 1, 2)
			m.meet(3, 0)
			for r := range m.nodes() {
				m.Rank(r).Rebound(0, 30+uint64(r), 4*us)
			}
			m.Rank(1).Observed(0, 31, 5*us)
			m.tenure(0, 0, x, 2, 7, 7, 6, 7)
			m.tenure(1, 0, s, 2, 7, 7, 8, 9)
			m.meet(20, 2, 7, 7, 7)
		}, ""},
		"rebound, and acquired before its owner has": {func(m maker) {
			m.tenure(0, 0, x, 1, 0, 5, 1, 2)
			for r := range m.nodes() {
				m.Rank(r).Rebound(0, 30, 4*us)
			}
			m.tenure(1, 0, s, 1, 30, 30, 5, 6)
			m.tenure(0, 0, x, 2, 7, 7, 7, 8)
		}, `A3 visibility: rank 1 acquires "a" shared in version 1 (call 1, at 5.000 us) after change 1 of what it guards, which no exclusive tenure has followed`},
		"rebound while held": {func(m maker) {
			m.tenure(0, 0, s, 0, 0, 0, 1, none)
			m.Rank(0).Rebound(0, 0, 2*us)
		}, `A0 form: rank 0 has changed what "a" guards (call 1, at 2.000 us), and holds it`},
		"rebound, and read by a rank that has not": {func(m maker) {
			m.tenure(0, 0, x, 1, 0, 5, 1, 2)
			m.Rank(0).Rebound(0, 30, 4*us)
			m.tenure(0, 0, x, 2, 30, 30, 5, 6)
			m.tenure(1, 0, s, 2, 30, 30, 7, 8)
		}, `A3 visibility: rank 1 acquires "a" shared in version 2 (call 1, at 7.000 us) after 0 changes of what it guards, and the tenure before came after 1`},
		"a tenure that never ends": {func(m maker) { m.tenure(0, 0, x, 1, 0, 0, 1, none) }, ""},
		"acquired twice": {func(m maker) {
			m.tenure(0, 0, x, 1, 0, 0, 1, none)
			m.tenure(0, 0, x, 2, 0, 0, 2, 3)
		}, `A0 form: rank 0 acquires "a" exclusive in version 2 (call 2, at 2.000 us), which it holds already`},
		"released unheld": {func(m maker) { m.Rank(1).Released(1, s, 0, 0, 4*us) }, `A0 form: rank 1 releases "b" shared in version 0 (call 0, at 4.000 us), which it does not hold`},
		"released otherwise": {func(m maker) {
			m.Rank(1).Acquired(1, s, 0, 0, 1*us)
			m.Rank(1).Released(1, x, 0, 0, 4*us)
		}, `it had rank 1 acquires "b" shared in version 0`},
		"meeting while holding": {func(m maker) {
			m.tenure(0, 1, s, 0, 0, 0, 1, none)
			m.meet(2, 0)
		}, `A0 form: rank 0 arrives at meeting 1 (call 2, at 2.000 us), holding "b"`},
		"granted to two": {func(m maker) {
			m.tenure(0, 0, x, 1, 0, 5, 1, 2)
			m.tenure(1, 0, x, 1, 0, 5, 1, 2)
		}, `A1 exclusion: rank 0 acquires "a" exclusive in version 1 (call 1, at 1.000 us), and rank 1 acquires "a" exclusive in version 1`},
		"two writers at once": {func(m maker) {
			m.tenure(0, 0, x, 1, 0, 5, 1, 4)
			m.tenure(1, 0, x, 2, 5, 5, 3, 6)
		}, `A1 exclusion: rank 1 acquires "a" exclusive in version 2 (call 1, at 3.000 us), though rank 0 acquires "a" exclusive in version 1 (call 1, at 1.000 us) and released it at 4.000 us`},
		"a reader during a write": {func(m maker) {
			m.tenure(0, 0, x, 1, 0, 5, 1, 4)
			m.tenure(1, 0, s, 1, 5, 5, 3, 6)
		}, "A1 exclusion: rank 1 acquires"},
		"a writer during a read": {func(m maker) {
			m.tenure(1, 0, s, 0, 0, 0, 1, none)
			m.tenure(0, 0, x, 1, 0, 5, 2, 4)
		}, `and never released it`},
		"stale at Acquire": {func(m maker) {
			m.tenure(0, 0, x, 1, 0, 5, 1, 2)
			m.tenure(1, 0, x, 2, 0, 7, 3, 4)
		}, `A3 visibility: rank 1 acquires "a" exclusive in version 2 (call 1, at 3.000 us) and sees 0x0; the version before it was left with, as rank 0 releases "a" exclusive in version 1 (call 1, at 2.000 us), 0x5`},
		"out of thin air": {func(m maker) { m.tenure(0, 0, s, 0, 9, 9, 1, 2) }, "sees 0x9; it was bound with 0x0"},
		"stale after Update": {func(m maker) {
			m.tenure(0, 0, x, 1, 0, 5, 1, 2)
			m.tenure(1, 0, x, 2, 5, 6, 3, 4)
			m.meet(5, 2, 6, 6, 5)
		}, `A3 visibility: rank 2 has "a" updated to version 2 (call 1, at 5.000 us) and sees 0x5; before it rank 1 releases "a" exclusive in version 2 (call 1, at 4.000 us) with 0x6`},
		"an Update from later": {func(m maker) {
			m.tenure(0, 0, x, 1, 0, 5, 1, 2)
			m.meet(5, 1, 5, 5, 6)
			m.tenure(0, 0, x, 2, 5, 6, 7, 8)
		}, "sees 0x6; before it rank 0 releases"},
		"changed while held shared": {func(m maker) { m.tenure(0, 0, s, 0, 0, 3, 1, 2) }, `A5 snapshot: rank 0 releases "a" shared in version 0 (call 1, at 2.000 us) and sees 0x3; when it acquired it saw 0x0`},
		"changed outside": {func(m maker) {
			m.tenure(0, 0, x, 1, 0, 5, 1, 2)
			m.Rank(0).Observed(0, 6, 3*us)
		}, `A5 snapshot: rank 0 reads "a" without holding it (call 1, at 3.000 us) and sees 0x6; when last rank 0 releases "a" exclusive`},
		"changed before": {func(m maker) { m.Rank(0).Observed(1, 6, 3*us) }, `reads "b" without holding it (call 0, at 3.000 us) and sees 0x6; it has never acquired it`},
		"store buffering": {func(m maker) { // both ranks read the old contents
			m.tenure(0, 0, x, 1, 0, 1, 0, 0)
			m.tenure(0, 1, s, 0, 0, 0, 0, 0)
			m.tenure(1, 1, x, 1, 0, 1, 0, 0)
			m.tenure(1, 0, s, 0, 0, 0, 0, 0)
		}, `A2 order: each before the next, and the last before the first: `},
		"a meeting too late": {func(m maker) { // rank 1 reads the old version after the meeting
			m.tenure(0, 0, x, 1, 0, 1, 0, 0)
			m.meet(0, 0)
			m.tenure(1, 0, s, 0, 0, 0, 0, 0)
		}, `A2 order: `},
	} {
		m := newMaker(3)
		c.make(m)
		v := m.Check()
		switch {
		case c.want == "" && v != nil:
			t.Errorf("%s: violation %v, want none", name, v)
		case c.want != "" && (v == nil || !strings.Contains(v.Error(), c.want)):
			t.Errorf("%s: violation %v, want %q", name, v, c.want)
		}
	}
}

// TestSmallestCycle checks that the short one of two cycles is reported.
func TestSmallestCycle(t *testing.T) {
	m := newMaker(3)
	for r := range m.nodes() { // a long cycle, through all three ranks
		m.Rank(r).Bind("c", 0)
	}
	m.tenure(0, 0, x, 1, 0, 1, 0, 0)
	m.meet(0, 0)
	for range 5 {
		m.tenure(2, 1, s, 0, 0, 0, 0, 0)
	}
	m.tenure(1, 0, s, 0, 0, 0, 0, 0)
	v := m.Check()
	if v == nil || strings.Count(v.Words, ";") > 5 {
		t.Fatalf("violation %v, want a cycle of at most 6 events", v)
	}
	for _, want := range []string{`rank 1 releases "a" shared in version 0`, `rank 0 acquires "a" exclusive in version 1`, "rank 0 arrives at meeting 1", "rank 1 leaves meeting 1"} {
		if !strings.Contains(v.Words, want) {
			t.Errorf("%v: want %q", v, want)
		}
	}
}

// TestCounts checks that Counts counts only the present run.
func TestCounts(t *testing.T) {
	m := newMaker(2)
	m.tenure(0, 0, x, 1, 0, 1, 0, 0)
	m.tenure(1, 0, s, 1, 1, 1, 0, 0)
	m.meet(0, 1, 1)
	if c := m.Counts(); c != (Counts{Events: 9, Tenures: 2, Variables: 1}) {
		t.Errorf("wrong counts of a run: %+v", c)
	}
	m.Begin(1)
	if c := m.Counts(); c != (Counts{}) {
		t.Errorf("a new run begins with %+v", c)
	}
}
