package guard

import (
	"testing"
	"unsafe"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestWindows: variables that share a page get windows until there are too many. A variable with
// pages of its own needs none.
func TestWindows(t *testing.T) {
	if err := Supported(); err != nil {
		t.Skip(err)
	}
	size := pageBytes()
	space := consistency.NewSpace()
	g := New(space, false, mostWindows/2, func(syncvar.ID) syncvar.Version { return 0 })
	m, err := g.Map(3*size - 1)
	if err != nil {
		t.Fatal(err)
	}
	base, err := space.AddRegion("a", "bytes", 1, m.Own)
	if err != nil {
		t.Fatal(err)
	}
	whole := g.Add(m, "a", base, 1)
	at := func(lo, hi int) consistency.Range {
		return consistency.Range{Lo: base + consistency.Addr(lo), Hi: base + consistency.Addr(hi)}
	}
	for i, r := range []consistency.Range{at(0, 10), at(10, 20), at(20, 30), at(size, 3*size-1)} {
		id, err := space.Bind(string(rune('a'+i)), []consistency.Range{r})
		if err != nil {
			t.Fatal(err)
		}
		g.Bound(id)
	}
	inView := func(lo, hi int) bool {
		return unsafe.SliceData(g.Part(at(lo, hi))) == unsafe.SliceData(m.View[lo:])
	}
	for _, c := range []struct {
		lo, hi      int
		view, whole bool
	}{
		{size + 5, size + 9, true, false},
		{0, 10, false, false},
		{12, 20, false, false},
		{1, 5, false, false},
		{20, 30, true, true}, // a third window
	} {
		if view := inView(c.lo, c.hi); view != c.view || whole.Load() != c.whole {
			t.Errorf("Part [%d, %d) lies in the view: %v, and the whole view counts as used: %v; want %v and %v", c.lo, c.hi, view, whole.Load(), c.view, c.whole)
		}
	}
	if len(g.windows) != 2 {
		t.Errorf("there are %d windows, want 2", len(g.windows))
	}
	if c := Cover([][]Tally{g.Tallies(), {{Name: "a"}}}); c != (Coverage{Variables: 4, Sharing: 3}) {
		t.Errorf("the coverage is %+v, want 3 of 4 variables on a page with others", c)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}
