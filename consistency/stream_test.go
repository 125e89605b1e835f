package consistency_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
)

// TestStream cuts the writes of two tenures for small slots, and follows the stream on another
// rank.
func TestStream(t *testing.T) {
	at := func(lo, hi consistency.Addr) consistency.Range {
		return consistency.Range{Lo: consistency.PageBytes + lo, Hi: consistency.PageBytes + hi}
	}
	var ranks [2]*consistency.Space
	for i := range ranks {
		ranks[i] = consistency.NewSpace()
		if _, err := ranks[i].AddRegion("a", "bytes", 1, make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		if _, err := ranks[i].Bind("v", []consistency.Range{at(0, 1000)}); err != nil {
			t.Fatal(err)
		}
	}
	owner, other := ranks[0], ranks[1]
	empty := owner.Stream(0, 0, 0, 64)
	if want := []consistency.Cut{{Range: at(0, 0)}}; !reflect.DeepEqual(empty.Cuts, want) || !empty.Complete {
		t.Errorf("if nothing is newer: %+v", empty)
	}
	if got := empty.Pieces(); len(got) > 0 {
		t.Errorf("if nothing is newer, pieces %+v arrive", got)
	}
	owner.BeginWrite(0, []consistency.Range{at(0, 100)})
	owner.EndWrite(0, 1)
	owner.BeginWrite(0, []consistency.Range{at(500, 600)})
	owner.EndWrite(0, 3)

	st := owner.Stream(0, 0, 70_003, 64)
	want := []consistency.Cut{
		{Range: at(0, 64), Age: 65535}, {Range: at(64, 100), Age: 65535},
		{Range: at(500, 564), Age: 65535}, {Range: at(564, 600), Age: 65535},
	}
	if !reflect.DeepEqual(st.Cuts, want) {
		t.Errorf("ages above the largest: %+v", st.Cuts)
	}
	st = owner.Stream(0, 0, 3, 64)
	in := &consistency.Stream{Version: 3}
	for i, c := range st.Cuts {
		if err := other.Follow(in, c, i == len(st.Cuts)-1); err != nil {
			t.Fatal(err)
		}
	}
	other.Accept(0, in.Pieces())
	if got, want := other.Newer(0, 0), owner.Newer(0, 0); !reflect.DeepEqual(got, want) || !in.Complete {
		t.Errorf("pieces %+v arrive, want %+v", got, want)
	}
}

// TestFollowRefuses passes cuts to Follow that cannot be the next one.
func TestFollowRefuses(t *testing.T) {
	space := consistency.NewSpace()
	cut := func(lo, n consistency.Addr, age uint16) consistency.Cut {
		return consistency.Cut{Range: consistency.Range{Lo: lo, Hi: lo + n}, Age: age}
	}
	for what, c := range map[string]struct {
		first []consistency.Cut
		next  consistency.Cut
		last  bool
	}{
		"backwards":            {[]consistency.Cut{cut(100, 8, 0)}, cut(104, 8, 0), true},
		"older than the first": {nil, cut(100, 8, 4), true},
		"empty, not the last":  {nil, cut(100, 0, 0), false},
		"empty, not the first": {[]consistency.Cut{cut(100, 8, 0)}, cut(200, 0, 0), true},
	} {
		st := &consistency.Stream{Version: 3}
		for _, f := range c.first {
			if err := space.Follow(st, f, false); err != nil {
				t.Fatal(err)
			}
		}
		if err := space.Follow(st, c.next, c.last); err == nil || !strings.Contains(err.Error(), "out of order") || len(st.Cuts) != len(c.first) {
			t.Errorf("%s: error %v, %d cuts", what, err, len(st.Cuts))
		}
	}
	if err := space.Follow(&consistency.Stream{Version: 3}, cut(100, 8, 3), true); err != nil {
		t.Errorf("the greatest age: %v", err)
	}
	done := &consistency.Stream{Complete: true}
	if err := space.Follow(done, cut(100, 8, 0), true); err == nil {
		t.Error("a cut after the last: no error")
	}
}
