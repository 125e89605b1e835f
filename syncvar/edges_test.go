package syncvar_test

import (
	"reflect"
	"testing"

	"github.com/fagus-dsm/fagus/syncvar"
)

// TestLargestLists: a list with the largest phase, age, number of declarations and variable ID is
// decoded. If any of them is larger by one, the list is refused.
func TestLargestLists(t *testing.T) {
	const phase, declared = 1 << 62, 1 << 31
	list := func(change func(l *syncvar.List)) syncvar.List {
		l := syncvar.List{Call: syncvar.Acquire, Phase: phase, Since: 0, Declared: declared, Digest: 1<<64 - 1}
		l.Shared, l.Exclusive, l.Clean = []syncvar.ID{0, syncvar.MaxID - 1}, []syncvar.ID{syncvar.MaxID - 2}, []syncvar.ID{syncvar.MaxID - 1}
		change(&l)
		return l
	}
	for what, c := range map[string]struct {
		l     syncvar.List
		valid bool
	}{
		"all are the largest":  {list(func(*syncvar.List) {}), true},
		"a later phase":        {list(func(l *syncvar.List) { l.Phase++; l.Since++ }), false},
		"more declarations":    {list(func(l *syncvar.List) { l.Declared++ }), false},
		"shared":               {list(func(l *syncvar.List) { l.Shared[1]++ }), false},
		"exclusive":            {list(func(l *syncvar.List) { l.Exclusive[0] = syncvar.MaxID }), false},
		"clean":                {list(func(l *syncvar.List) { l.Clean[0]++ }), false},
		"as many as declared":  {list(func(l *syncvar.List) { l.Declared = syncvar.MaxID }), true},
		"one not declared":     {list(func(l *syncvar.List) { l.Declared = syncvar.MaxID - 1 }), false},
		"shared and exclusive": {list(func(l *syncvar.List) { l.Exclusive[0]++ }), false},
	} {
		got, err := syncvar.DecodeList(syncvar.AppendList(nil, &c.l))
		if (err == nil) != c.valid || c.valid && !reflect.DeepEqual(got, c.l) {
			t.Errorf("%s: %v, want it valid: %t", what, err, c.valid)
		}
	}
}
