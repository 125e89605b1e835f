package tree

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/phase/movement"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestPartAfter: one cycle later all versions have grown by the tenures of a cycle, and as many
// versions are new to a receiver as before.
func TestPartAfter(t *testing.T) {
	p := &part{standing: new(movement.Standing), multicasts: []movement.Multicast{{Items: []movement.Source{{ID: 1, Since: 4}, {ID: 7}}}}, variables: []variable{{1, 5}, {7, 2}}}
	next := p.after([]syncvar.Version{9, 3}).after([]syncvar.Version{9, 3})
	if got := next.multicasts[0].Items; got[0] != (movement.Source{ID: 1, Since: 10}) || got[1] != (movement.Source{ID: 7}) {
		t.Errorf("the items are %v, want versions 10 and 0", got)
	}
	if got := next.variables; got[0] != (variable{1, 11}) || got[1] != (variable{7, 2}) {
		t.Errorf("the versions are %v, want 11 and 2", got)
	}
}

// TestForget: schedules that a course may expect are known. Schedules that no window holds any
// more are forgotten when there are twice as many as a window holds.
func TestForget(t *testing.T) {
	const window, now = 8, 100
	var r Replica
	for last := range uint64(2 * window) {
		r.forget(now, window) // makes the map; it forgets none of so few
		s := &schedule{key: fmt.Sprint(last)}
		s.last.Store(now - 2 - last)
		r.known[s.key] = s
	}
	if len(r.known) != 2*window {
		t.Fatalf("%d schedules are known, want %d", len(r.known), 2*window)
	}
	r.forget(now, window)
	for last := range 2 * window {
		if _, known := r.known[fmt.Sprint(last)]; known != (last <= window) {
			t.Errorf("a schedule of %d phases ago is known: %v", last+2, known)
		}
	}
}

// TestWrongMark: a mark is an error if it means another phase than the expected one, or if nothing
// is expected.
func TestWrongMark(t *testing.T) {
	e := &Protocol{tree: Of(3)}
	e.course = newCourse(3)
	list := appendScheduled(nil, &syncvar.List{Call: syncvar.Acquire, Shared: []syncvar.ID{1}})
	bundle := func(lag int) []byte {
		return appendEntry(appendEntry(nil, 0, list), 2, appendMark(nil, lag))
	}
	if _, err := e.keyOf(bundle(1)); err == nil {
		t.Error("a mark counts though nothing is expected")
	}
	s := &schedule{first: list, nodes: 3}
	for range 3 {
		e.course.add(s)
	}
	for lag := range 4 {
		if key, err := e.keyOf(bundle(lag)); (err == nil) != (lag == 1) {
			t.Errorf("a mark for %d phases before: schedule %x, error %v", lag, key, err)
		}
	}
}
