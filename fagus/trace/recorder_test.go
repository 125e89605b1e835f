package trace

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestSets: sets that differ, in their variables or in what they acquire them for, have indices of
// their own.
func TestSets(t *testing.T) {
	tr := New()
	tr.Begin(About{Nodes: 1})
	r := tr.Recorder(0, 0, dimmnet.Origin{})
	seen := make(map[int32][2][]syncvar.ID)
	ids := [][]syncvar.ID{nil, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}, {1 << 19}}
	for _, shared := range ids {
		for _, exclusive := range ids {
			at := r.Set(shared, exclusive)
			if other, found := seen[at]; found {
				t.Errorf("%v, %v has the index of %v", shared, exclusive, other)
			}
			seen[at] = [2][]syncvar.ID{shared, exclusive}
		}
	}
}
