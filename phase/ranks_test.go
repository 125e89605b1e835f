package phase

import (
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
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

// TestAllRanks passes the lists of as many ranks as a Rank can number, and of one less, up and down
// the tree, and compares the plans of the first and of the last rank. The last rank
// wants variable 0 exclusively; then all others want to read it.
func TestAllRanks(t *testing.T) {
	longtest.OneThread(t)
	for _, nodes := range []int{dimmnet.MaxNodes - 1, dimmnet.MaxNodes} {
		last := dimmnet.Rank(nodes - 1)
		var plans []Plan
		for _, rank := range []dimmnet.Rank{0, last} {
			e := newOfMany(t, rank, nodes, uint64(last))
			meetMany(t, e, func(r dimmnet.Rank) syncvar.List {
				if r < last {
					return syncvar.List{}
				}
				return syncvar.List{Exclusive: []syncvar.ID{0}}
			})
			if !e.plan.Granted[last] {
				t.Fatalf("%d nodes: the plan of rank %d does not grant the variable to rank %d", nodes, rank, last)
			}
			e.finish()
			meetMany(t, e, func(r dimmnet.Rank) syncvar.List {
				if r == last {
					return syncvar.List{}
				}
				return syncvar.List{Shared: []syncvar.ID{0}}
			})
			plans = append(plans, e.plan)
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
func newOfMany(t *testing.T, rank dimmnet.Rank, nodes int, phase uint64) *Engine {
	t.Helper()
	space := consistency.NewSpace()
	base, err := space.AddRegion("a", "bytes", 1, make([]byte, 8))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := space.Bind("v", []consistency.Range{{Lo: base, Hi: base + 8}}); err != nil {
		t.Fatal(err)
	}
	e, err := New(&manyPort{rank: rank, nodes: nodes}, space, Config{FirstPhase: phase})
	if err != nil {
		t.Fatal(err)
	}
	if e.tree.Arity == 0 {
		t.Fatalf("%d nodes have rings between all pairs", nodes)
	}
	return e
}

// meetMany begins a phase, passes the lists of all other ranks to the engine, and plans.
func meetMany(t *testing.T, e *Engine, list func(dimmnet.Rank) syncvar.List) {
	t.Helper()
	encode := func(r dimmnet.Rank) []byte {
		l := list(r)
		l.Call, l.Phase, l.Since, l.Declared, l.Digest = syncvar.Acquire, e.phase, e.phase, 2, e.space.Digest(2)
		return appendScheduled(nil, &l)
	}
	own := list(e.rank)
	own.Call, own.Since = syncvar.Acquire, e.phase
	if err := e.Begin(own); err != nil {
		t.Fatal(err)
	}
	// The bundle of a peer has its subtree, or, from the parent, all ranks.
	for _, peer := range e.peers {
		var bundle []byte
		for r := range e.port.Nodes() {
			if rank := dimmnet.Rank(r); peer < e.rank || e.tree.Below(rank, peer) {
				bundle = appendEntry(bundle, rank, encode(rank))
			}
		}
		if err := e.takeBundle(peer, appendBundle(nil, bundle, nil)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range e.peers { // nothing is sent, and no ring is polled
		e.out[i].lists, e.out[i].pos, e.out[i].state = nil, 0, outIdle
		e.in[i].due, e.in[i].state = 0, inIdle
	}
	e.signals = signals{}
	if err := e.join(); err != nil {
		t.Fatal(err)
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
		e.finish()
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
	if err := e.Begin(syncvar.List{Call: syncvar.Acquire, Since: e.phase, Shared: []syncvar.ID{0}}); err != nil {
		t.Fatal(err)
	}
	if s, err := e.scheduleOf(1, appendEntry(nil, 0, appendMark(nil, 1))); err == nil || !strings.Contains(err.Error(), "rank 1 says that all ranks do as 1 phases before") {
		t.Errorf("a rank that has sent another list than expected takes a mark: %t, error %v", s != nil, err)
	}
}
