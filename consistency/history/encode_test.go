package history

import (
	"reflect"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestEncode: another process decodes a rank's record unchanged, and a violation in it is found.
func TestEncode(t *testing.T) {
	m := newMaker(2)
	m.Rank(0).Observed(1, 0, us)
	m.tenure(0, 0, x, 1, 0, 5, 1, 2)
	m.tenure(1, 0, x, 2, 5, 6, 3, 4)
	m.meet(5, 2, 6, 6)
	m.Rank(0).Rebound(1, 9, 6*us)
	m.tenure(1, 1, s, 0, 0, 0, 6, none)
	m.tenure(0, 0, s, 2, 4, 4, 6, 7) // sees what nobody left
	got := New()
	got.Begin(2)
	for rank, r := range m.ranks {
		data, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := got.Decode(dimmnet.Rank(rank), data); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(got.ranks, m.ranks) {
		t.Errorf("decoded %+v, want %+v", got.ranks, m.ranks)
	}
	if v := got.Check(); v == nil || v.Axiom != Visibility {
		t.Errorf("Check of the decoded history returns %v, want a violation of %q", v, Visibility)
	}
}

// TestClocksOfProcesses: times are not compared between records of different processes.
func TestClocksOfProcesses(t *testing.T) {
	m := newMaker(2)
	m.tenure(0, 0, x, 1, 0, 5, 100, 200)
	m.tenure(1, 0, x, 2, 5, 6, 3, 4)
	if v := m.Check(); v == nil || v.Axiom != Exclusion {
		t.Errorf("with one clock Check returns %v, want a violation of %q", v, Exclusion)
	}
	data, err := m.Rank(1).Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Decode(1, data); err != nil {
		t.Fatal(err)
	}
	if v := m.Check(); v != nil {
		t.Errorf("with two clocks Check returns %v, want nil", v)
	}
}

func FuzzDecode(f *testing.F) {
	m := newMaker(1)
	m.tenure(0, 0, x, 1, 0, 5, 1, 2)
	m.meet(5, 1, 5)
	data, err := m.Rank(0).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"names":["a"],"initial":[]}`))
	f.Add([]byte(`{"events":"AQAAAAAAAAA="}`))
	f.Add([]byte(strings.Repeat("[", 100)))
	f.Fuzz(func(t *testing.T, data []byte) {
		h := New()
		h.Begin(2)
		if h.Decode(1, data) == nil {
			h.Check() // must not panic
		}
	})
}
