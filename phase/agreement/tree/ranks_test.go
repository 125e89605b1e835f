package tree

import (
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/phase/agreement"
	"github.com/fagus-dsm/fagus/phase/movement"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// manyPort is a port of one of many ranks, on which nothing lands.
type manyPort struct {
	dimmnet.Port // nil: any other method panics
	rank         dimmnet.Rank
	nodes        int
}

func (p *manyPort) Rank() dimmnet.Rank { return p.rank }
func (p *manyPort) Nodes() int         { return p.nodes }
func (p *manyPort) Limits() dimmnet.Limits {
	return dimmnet.Limits{Store: 8, Block: 464, LLCM: 128 << 10, RDMA: 1 << 20, Bulk: 1 << 20}
}

// TestAllRanks passes lists up and down the tree and compares the plans of the first and the last
// rank. It does so with as many ranks as a Rank can number, and with one less. The last rank wants
// variable 0 exclusively; then all others want to read it.
func TestAllRanks(t *testing.T) {
	longtest.OneThread(t)
	for _, nodes := range []int{dimmnet.MaxNodes - 1, dimmnet.MaxNodes} {
		last := dimmnet.Rank(nodes - 1)
		var plans []agreement.Plan
		for _, rank := range []dimmnet.Rank{0, last} {
			e := newOfMany(t, rank, nodes, uint64(last))
			meetMany(t, e, func(r dimmnet.Rank) syncvar.List {
				if r < last {
					return syncvar.List{}
				}
				return syncvar.List{Exclusive: []syncvar.ID{0}}
			})
			if !e.outcome.Granted[last] {
				t.Fatalf("%d nodes: the plan of rank %d does not grant the variable to rank %d", nodes, rank, last)
			}
			finish(e)
			meetMany(t, e, func(r dimmnet.Rank) syncvar.List {
				if r == last {
					return syncvar.List{}
				}
				return syncvar.List{Shared: []syncvar.ID{0}}
			})
			plans = append(plans, e.outcome.Plan)
		}
		if !slices.Equal(plans[0].Transfers, plans[1].Transfers) {
			t.Errorf("%d nodes: the first and the last rank plan other transfers", nodes)
		}
		from := make([]int, nodes) // by rank: how many ranks get the data from it
		to := make([]int, nodes)   // by rank: how often it gets the data
		for _, x := range plans[0].Transfers {
			if x.From != last && to[x.From] == 0 {
				t.Fatalf("%d nodes: rank %d passes on what it has not got", nodes, x.From)
			}
			from[x.From]++
			to[x.To]++
		}
		if len(plans[0].Transfers) != nodes-1 || slices.Max(from) > syncvar.Fanout || slices.Max(to) > 1 || to[last] > 0 {
			t.Errorf("%d nodes: %d transfers, a rank sends up to %d and gets up to %d", nodes, len(plans[0].Transfers), slices.Max(from), slices.Max(to))
		}
	}
}

// newOfMany returns the engine of one of many ranks. It has bound variable 0.
func newOfMany(t *testing.T, rank dimmnet.Rank, nodes int, phase uint64) *Protocol {
	t.Helper()
	space := consistency.NewSpace()
	base, err := space.AddRegion("a", "bytes", 1, make([]byte, 8))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := space.Bind("v", []consistency.Range{{Lo: base, Hi: base + 8}}); err != nil {
		t.Fatal(err)
	}
	m := movement.New(&manyPort{rank: rank, nodes: nodes}, space, phase, nil)
	limits := m.Port.Limits()
	lines := PlaceLines(&limits)
	m.UsePush(movement.PushConfig{Words: movement.PlacePushWords(&limits, 4, 0), Repeats: true})
	if m.Layout, err = ringbuf.NewTreeLayout(limits, Of(nodes)); err != nil {
		t.Fatal(err)
	}
	e := New(m, Config{Observer: syncvar.Unobserved{}, Lines: lines, Replica: new(Replica)})
	m.Connect(e, false)
	return e
}

// finish ends a phase, although nothing has moved.
func finish(e *Protocol) {
	e.m.Finish()
	e.Finish()
	e.m.Phase++
}

// meetMany begins a phase, passes the lists of all other ranks to the engine, and plans.
func meetMany(t *testing.T, e *Protocol, list func(dimmnet.Rank) syncvar.List) {
	t.Helper()
	encode := func(r dimmnet.Rank) []byte {
		l := list(r)
		l.Call, l.Phase, l.Since, l.Declared, l.Digest = syncvar.Acquire, e.m.Phase, e.m.Phase, 2, e.m.Space.Digest(2)
		return appendScheduled(nil, &l)
	}
	own := list(e.m.Rank)
	own.Call, own.Since = syncvar.Acquire, e.m.Phase
	if _, err := e.Begin(&own); err != nil {
		t.Fatal(err)
	}
	if err := e.Send(); err != nil {
		t.Fatal(err)
	}
	// The bundle of a peer has its subtree, or, from the parent, all ranks.
	for _, peer := range e.m.Peers {
		var bundle []byte
		for r := range e.m.Port.Nodes() {
			if rank := dimmnet.Rank(r); peer < e.m.Rank || e.tree.Below(rank, peer) {
				bundle = appendEntry(bundle, rank, encode(rank))
			}
		}
		if err := e.TakeList(peer, appendBundle(nil, bundle, nil)); err != nil {
			t.Fatal(err)
		}
	}
	e.signals = signals{} // nothing is sent
	if moves, err := e.Decide(); err != nil || !moves {
		t.Fatal(moves, err)
	}
}

// TestWrongMarks: a mark that does not mean the expected schedule is an error.
func TestWrongMarks(t *testing.T) {
	e := newOfMany(t, 0, 100, 0)
	mixed := func(r dimmnet.Rank) syncvar.List {
		if r%2 == 0 {
			return syncvar.List{}
		}
		return syncvar.List{Shared: []syncvar.ID{0}}
	}
	for range 2 {
		meetMany(t, e, mixed)
		finish(e)
	}
	_, lag := e.course.expected()
	if lag != 1 {
		t.Fatalf("the schedule of %d phases before is expected, want 1", lag)
	}
	for _, bundle := range [][]byte{
		appendEntry(nil, 0, appendMark(nil, 2)),
		appendEntry(appendEntry(nil, 0, appendMark(nil, 1)), 5, appendMark(nil, 2)),
		appendEntry(nil, 0, []byte{markByte}),
	} {
		if s, err := e.scheduleOf(1, bundle); err == nil || !strings.Contains(err.Error(), "want as 1 phases before") {
			t.Errorf("bundle %x: schedule %v, error %v", bundle, s, err)
		}
	}
	if _, err := e.Begin(&syncvar.List{Call: syncvar.Acquire, Since: e.m.Phase, Shared: []syncvar.ID{0}}); err != nil {
		t.Fatal(err)
	}
	if err := e.Send(); err != nil {
		t.Fatal(err)
	}
	if s, err := e.scheduleOf(1, appendEntry(nil, 0, appendMark(nil, 1))); err == nil || !strings.Contains(err.Error(), "rank 1 says that all ranks do as 1 phases before") {
		t.Errorf("a rank that has sent another list than expected takes a mark: %t, error %v", s != nil, err)
	}
}
