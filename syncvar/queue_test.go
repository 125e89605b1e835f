package syncvar_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// queued is a Queue and what must hold of it.
type queued struct {
	t       *testing.T
	seed    uint64
	q       syncvar.Queue
	holding map[dimmnet.Rank]syncvar.Mode
	waiting []syncvar.Want                   // in the order of their requests
	copies  map[dimmnet.Rank]syncvar.Version // the newest written version in a rank's copy
	newest  syncvar.Version
	turns   map[dimmnet.Rank]syncvar.Turn // of the tenures
}

// take checks turns and begins their tenures.
func (x *queued) take(turns []syncvar.Turn, err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatalf("seed %d: %v", x.seed, err)
	}
	for _, turn := range turns {
		if len(x.waiting) == 0 || x.waiting[0] != turn.Want {
			x.t.Fatalf("seed %d: %+v is granted before %+v", x.seed, turn, x.waiting)
		}
		x.waiting = x.waiting[1:]
		for rank, mode := range x.holding {
			if mode == syncvar.Exclusive || turn.Mode == syncvar.Exclusive {
				x.t.Fatalf("seed %d: %+v is granted while rank %d holds it %v", x.seed, turn, rank, mode)
			}
		}
		if turn.From == turn.Rank {
			if x.copies[turn.Rank] != x.newest {
				x.t.Fatalf("seed %d: rank %d has version %d of %d and is sent nothing", x.seed, turn.Rank, x.copies[turn.Rank], x.newest)
			}
		} else if x.copies[turn.From] != x.newest || turn.Since < x.copies[turn.Rank] {
			x.t.Fatalf("seed %d: %+v, rank %d has version %d of %d", x.seed, turn, turn.From, x.copies[turn.From], x.newest)
		}
		x.copies[turn.Rank] = x.newest
		if !turn.Brief {
			x.holding[turn.Rank] = turn.Mode
			x.turns[turn.Rank] = turn
		}
	}
	if len(x.waiting) > 0 && len(x.holding) == 0 {
		x.t.Fatalf("seed %d: %+v wait and nobody holds it", x.seed, x.waiting)
	}
}

// TestQueue lets random ranks acquire, refresh and release.
func TestQueue(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 0))
		x := &queued{t: t, seed: seed, holding: make(map[dimmnet.Rank]syncvar.Mode),
			copies: make(map[dimmnet.Rank]syncvar.Version), turns: make(map[dimmnet.Rank]syncvar.Turn)}
		for range 200 {
			rank := dimmnet.Rank(random.IntN(5))
			if mode, ok := x.holding[rank]; ok {
				written := mode == syncvar.Exclusive && random.IntN(2) == 0
				if written {
					x.newest = x.turns[rank].Version
					x.copies[rank] = x.newest
				}
				delete(x.holding, rank)
				x.take(x.q.Release(rank, written))
				continue
			}
			if slices.ContainsFunc(x.waiting, func(w syncvar.Want) bool { return w.Rank == rank }) {
				continue
			}
			w := syncvar.Want{Rank: rank, Mode: syncvar.Shared}
			switch random.IntN(3) {
			case 0:
				w.Mode = syncvar.Exclusive
			case 1:
				w.Brief = true
			}
			x.waiting = append(x.waiting, w)
			x.take(x.q.Request(w))
		}
	}
}

// TestQueueRefuses: what no rank that keeps the rules says.
func TestQueueRefuses(t *testing.T) {
	var q syncvar.Queue
	want := func(err error) {
		t.Helper()
		if err == nil {
			t.Error("no error")
		}
	}
	_, err := q.Release(1, false)
	want(err)
	if _, err := q.Request(syncvar.Want{Rank: 1, Mode: syncvar.Shared}); err != nil {
		t.Fatal(err)
	}
	_, err = q.Request(syncvar.Want{Rank: 1, Mode: syncvar.Exclusive}) // it holds it
	want(err)
	_, err = q.Release(1, true) // nothing was written in a shared tenure
	want(err)
	_, err = q.Release(2, false)
	want(err)
	if _, err := q.Request(syncvar.Want{Rank: 2, Mode: syncvar.Exclusive}); err != nil {
		t.Fatal(err)
	}
	_, err = q.Request(syncvar.Want{Rank: 2, Mode: syncvar.Shared, Brief: true}) // it waits for it
	want(err)
}
