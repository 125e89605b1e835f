package guard

import (
	"reflect"
	"testing"
)

// tally returns the tally of a rank that acquired the variable in the given tenures.
func tally(name string, h hold, unwritten int, brought, untouched uint64, tenures ...uint64) Tally {
	t := Tally{Name: name, Unwritten: unwritten, Brought: brought, Untouched: untouched}
	for _, k := range tenures {
		t.acquired(h, k)
	}
	return t
}

func TestAdvise(t *testing.T) {
	for _, c := range []struct {
		what  string
		ranks [][]Tally
		want  []Kind
		names [][]string
	}{
		{what: "access checking is off", ranks: [][]Tally{nil, nil}},
		{"no needless communication", [][]Tally{{tally("a", exclusive, 1, 9000, 4000, 1, 2)}, {tally("a", shared, 0, 0, 0, 1)}}, nil, nil},
		{"never written", [][]Tally{{tally("a", exclusive, 2, 0, 0, 1, 2)}, {tally("a", shared, 0, 0, 0, 1)}}, []Kind{NeverWritten}, [][]string{{"a"}}},
		{"written by another rank", [][]Tally{{tally("a", exclusive, 1, 0, 0, 1)}, {tally("a", exclusive, 0, 0, 0, 1)}}, nil, nil},
		{"half of the bytes untouched", [][]Tally{{tally("a", shared, 0, 8192, 4096, 1)}}, []Kind{NeverTouched}, [][]string{{"a"}}},
		{"less than a page untouched", [][]Tally{{tally("a", shared, 0, 4095, 4095, 1)}}, nil, nil},
		{"always together on all ranks", [][]Tally{
			{tally("a", exclusive, 0, 0, 0, 1, 3), tally("b", exclusive, 0, 0, 0, 1, 3)},
			{tally("a", shared, 0, 0, 0, 2), tally("b", shared, 0, 0, 0, 2)},
		}, []Kind{AlwaysOneSet}, [][]string{{"a", "b"}}},
		{"always together on one rank only", [][]Tally{
			{tally("a", exclusive, 0, 0, 0, 1, 3), tally("b", exclusive, 0, 0, 0, 1, 3)},
			{tally("a", shared, 0, 0, 0, 2), tally("b", shared, 0, 0, 0, 3)},
		}, nil, nil},
		{"together with different access", [][]Tally{{tally("a", exclusive, 0, 0, 0, 1), tally("b", shared, 0, 0, 0, 1)}}, nil, nil},
		{"never acquired", [][]Tally{{{Name: "a"}, {Name: "b"}}}, []Kind{NeverAcquired}, [][]string{{"a", "b"}}},
	} {
		var kinds []Kind
		var names [][]string
		for _, a := range Advise(c.ranks) {
			kinds = append(kinds, a.Kind)
			names = append(names, a.Variables)
		}
		if !reflect.DeepEqual(kinds, c.want) || !reflect.DeepEqual(names, c.names) {
			t.Errorf("%s: advice %v about %v, want %v about %v", c.what, kinds, names, c.want, c.names)
		}
	}
}

func TestJoined(t *testing.T) {
	memory := make([]byte, 2)
	a, b := &area{view: memory[:1]}, &area{view: memory[1:]}
	got := joined([]span{{b, 4, 5}, {a, 4, 6}, {a, 1, 2}, {a, 2, 3}, {a, 5, 9}, {a, 6, 7}})
	if want := []span{{a, 1, 3}, {a, 4, 9}, {b, 4, 5}}; !reflect.DeepEqual(got, want) {
		t.Errorf("joined spans %v, want %v", got, want)
	}
}
