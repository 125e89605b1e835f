package syncvar

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestReadersFormATree lets readers ask one after the other. Each gets the data from an earlier
// reader of the same version that lacked as much. No reader serves more than Fanout others, and
// the tree is as low as possible.
func TestReadersFormATree(t *testing.T) {
	var r Readers
	depth, serves := map[dimmnet.Rank]int{}, map[dimmnet.Rank]int{}
	for i := range 63 {
		rank := dimmnet.Rank(i + 1)
		from, ok := r.Source(&Want{Rank: rank}, 7, i < Fanout)
		if ok != (i >= Fanout) {
			t.Fatalf("reader %d: served by a reader %v", i, ok)
		}
		if !ok {
			from = 0
		}
		if _, known := depth[from]; ok && !known {
			t.Fatalf("reader %d is served by rank %d, which has asked for nothing", i, from)
		}
		depth[rank] = depth[from] + 1
		if serves[from]++; serves[from] > Fanout {
			t.Errorf("rank %d serves %d readers", from, serves[from])
		}
		if most := 6; depth[rank] > most {
			t.Errorf("reader %d is at depth %d, want at most %d", i, depth[rank], most)
		}
	}
}

// TestReadersServeWhatTheyGot checks that a reader serves no rank that lacks more than the reader
// itself got, nor another version, nor itself.
func TestReadersServeWhatTheyGot(t *testing.T) {
	var r Readers
	for i, c := range []struct {
		rank          dimmnet.Rank
		have, version Version
		free          bool
		from          dimmnet.Rank
		ok            bool
	}{
		{rank: 1, have: 5, version: 8}, // nobody else has it
		{rank: 2, have: 4, version: 8}, // rank 1 does not get what is newer than 4
		{rank: 3, have: 5, version: 8, from: 1, ok: true},
		{rank: 4, have: 6, version: 8, from: 1, ok: true},
		{rank: 5, have: 4, version: 8, from: 2, ok: true},
		{rank: 6, have: 9, version: 9},             // a newer version: nobody else has it
		{rank: 6, have: 9, version: 9},             // not from itself
		{rank: 7, have: 9, version: 9, free: true}, // the owner has the time
		{rank: 8, have: 9, version: 9, from: 6, ok: true},
	} {
		from, ok := r.Source(&Want{Rank: c.rank, Have: c.have}, c.version, c.free)
		if from != c.from || ok != c.ok {
			t.Errorf("reader %d: from rank %d, %v, want %d, %v", i, from, ok, c.from, c.ok)
		}
	}
}
