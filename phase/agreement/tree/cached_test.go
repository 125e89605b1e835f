package tree

import (
	"bytes"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/movement"
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
// in what their marks mean. Any rank may be marked, and several engines may decode the bundle in
// turn.
func TestSameBundleLater(t *testing.T) {
	tree := ringbuf.Tree{Nodes: 3, Arity: 2}
	for marked := range 3 {
		e := &Protocol{tree: tree}
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
// one has the same length or begins at the same phase.
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

// TestDivisionFollows: a schedule's division by followed variables is made anew when a rank
// follows one more variable. So it is when another rank then follows equally many.
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
	e := []*Protocol{{m: &movement.Mover{Rank: 0}}, {m: &movement.Mover{Rank: 1}}}
	replica := new(Replica)
	e[0].meter.add(4)
	e[1].meter.add(9)
	for i, want := range []int{1, 0} {
		for range 2 {
			if names, _ := replica.concern(s, e[i]); names != want {
				t.Errorf("%d names concern rank %d, want %d", names, i, want)
			}
		}
	}
	e[1].meter.add(7)
	if names, _ := replica.concern(s, e[1]); names != 1 {
		t.Errorf("%d names concern rank 1 when it follows one more, want 1", names)
	}
}

// TestPartsOfPhases: the part of a phase is found while the phase is in the window, whatever the
// phases around it have.
func TestPartsOfPhases(t *testing.T) {
	e := &Protocol{}
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
