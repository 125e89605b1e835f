package syncvar_test

import (
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestConflict compares Conflict with Grant for all lists of three ranks and two variables. A list
// that is not granted conflicts with a granted list in the variable that Conflict names, and a
// granted list conflicts with none.
func TestConflict(t *testing.T) {
	denials := 0
	everyList(3, 2, func(lists []syncvar.List) {
		for phase := range uint64(3) {
			granted := syncvar.Grant(nil, phase, lists)
			for r := range lists {
				d, ok := syncvar.Conflict(lists, granted, dimmnet.Rank(r))
				if want := lists[r].Call == syncvar.Acquire && !granted[r]; ok != want {
					t.Fatalf("phase %d, lists %+v, rank %d: denied is %v, want %v", phase, lists, r, ok, want)
				}
				if !ok {
					continue
				}
				denials++
				own, other := &lists[r], &lists[d.Holder]
				wanted := own.Shared
				if d.Access == syncvar.Exclusive {
					wanted = own.Exclusive
				}
				holds := slices.Contains(other.Exclusive, d.ID) || d.Access == syncvar.Exclusive && slices.Contains(other.Shared, d.ID)
				if !granted[d.Holder] || !slices.Contains(wanted, d.ID) || !holds {
					t.Fatalf("phase %d, lists %+v, grants %v: rank %d is said to be denied by %+v", phase, lists, granted, r, d)
				}
			}
		}
	})
	if denials == 0 {
		t.Error("no list was denied")
	}
}

// TestDeniedByNobody: a list behind a Fence is not granted, but no other rank has its variables.
func TestDeniedByNobody(t *testing.T) {
	lists := []syncvar.List{
		{Call: syncvar.Acquire, Fenced: true, Exclusive: []syncvar.ID{1}},
		{Call: syncvar.Acquire, Exclusive: []syncvar.ID{2}},
	}
	granted := syncvar.Grant(nil, 0, lists)
	if d, ok := syncvar.Conflict(lists, granted, 0); granted[0] || ok {
		t.Errorf("granted %v, denied %v by %+v: want neither", granted[0], ok, d)
	}
}
