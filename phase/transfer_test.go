package phase

import (
	"cmp"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
)

// paperPort has the limits of DIMMnet-1. It moves nothing.
type paperPort struct {
	dimmnet.Port
	nodes      int
	rdma, bulk int // bytes; 0: the size on DIMMnet-1
}

func (p paperPort) Rank() dimmnet.Rank { return 0 }
func (p paperPort) Nodes() int         { return p.nodes }
func (p paperPort) Limits() dimmnet.Limits {
	return dimmnet.Limits{Store: 8, Block: 464, RDMA: cmp.Or(p.rdma, 1<<20), LLCM: 128 << 10, Bulk: cmp.Or(p.bulk, 256<<20), Multicast: 7}
}

// TestLayoutOfDIMMnet1 divides the LLCM of DIMMnet-1 for runs of all sizes, with lists between all
// pairs for up to 64 nodes, where slots hold whole pages for up to 16, and with a tree for more.
func TestLayoutOfDIMMnet1(t *testing.T) {
	for _, test := range []struct {
		nodes, peers, slotBytes, words int
	}{
		{1, 1, 4096, 170}, {2, 1, 4096, 170}, {16, 15, 4096, 170}, {17, 16, 3712, 170},
		{64, 63, 928, 170}, {65, 9, 4096, 1323}, {65536, 9, 4096, 1323},
	} {
		for _, by := range []Transfer{Auto, Push} {
			p := paperPort{nodes: test.nodes}
			e := &Engine{port: p}
			lists := ListsAll
			if test.nodes > 64 {
				lists = ListsAuto
			}
			if err := e.configure(Config{Transfer: by, Lists: lists}); err != nil {
				t.Fatal(err)
			}
			b := e.method.(*push)
			l, words := e.layout, b.words
			if l.Peers != test.peers || l.SlotBytes != test.slotBytes || words.count != test.words {
				t.Errorf("%d nodes: %d words and layout %+v, want %+v", test.nodes, words.count, l, test)
			}
			if int(words.base) < l.Bytes() || int(words.base)+wordBytes(words.count) > p.Limits().LLCM {
				t.Errorf("%d nodes: %d words from %d, above %d bytes of rings", test.nodes, words.count, words.base, l.Bytes())
			}
			if tree := e.tree != (ringbuf.Tree{}); tree != (test.nodes > 64) || (b.least > 0) != (by == Auto && !tree) {
				t.Errorf("%d nodes, %v: tree %+v, PUSH from %d bytes", test.nodes, by, e.tree, b.least)
			}
		}
		e := &Engine{port: paperPort{nodes: test.nodes}, space: new(consistency.Space)}
		err := e.configure(Config{Transfer: Rings})
		if _, byPush := e.method.(*push); (err == nil) != (test.nodes <= 745) || byPush {
			t.Errorf("%d nodes by rings: error %v", test.nodes, err)
		}
	}
}

// TestSwitchOver: lists travel over a tree with more nodes than rings are good for, or on request.
func TestSwitchOver(t *testing.T) {
	for _, test := range []struct {
		nodes int
		cfg   Config
		tree  bool
	}{
		{SimulatedRingNodes, Config{}, false},
		{SimulatedRingNodes + 1, Config{}, true},
		{SimulatedRingNodes + 1, Config{Transfer: Push}, true},
		{SimulatedRingNodes + 1, Config{Transfer: Rings}, false},
		{SimulatedRingNodes + 1, Config{Lists: ListsAll}, false},
		{LiveRingNodes, Config{Live: true}, false},
		{LiveRingNodes + 1, Config{Live: true}, true},
		{LiveRingNodes + 1, Config{Live: true, Views: true}, true},
		{LiveRingNodes + 1, Config{Live: true, Lists: ListsAll}, false},
		{LiveRingNodes, Config{Live: true, Views: true}, false},
		{2, Config{Live: true, Views: true, Lists: ListsTree}, true},
		{2, Config{Lists: ListsTree}, true},
		{1, Config{Lists: ListsTree}, false},
	} {
		e := &Engine{port: paperPort{nodes: test.nodes}, space: new(consistency.Space)}
		if err := e.configure(test.cfg); err != nil || e.tree.Arity > 0 != test.tree {
			t.Errorf("%d nodes, %+v: tree %+v, error %v", test.nodes, test.cfg, e.tree, err)
		}
	}
	for want, p := range map[string]struct {
		nodes int
		cfg   Config
	}{
		"phase: lists 3: want auto, all or tree":                                                     {2, Config{Lists: 3}},
		"phase: lists by tree need a port with RDMA and bulk memory, and no data in rings: use auto": {2, Config{Lists: ListsTree, Transfer: Rings}},
		"hold the slots of at most 336 with lists between all pairs: use lists by tree":              {3000, Config{Lists: ListsAll}},
	} {
		e := &Engine{port: paperPort{nodes: p.nodes}}
		if err := e.configure(p.cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d nodes, %+v: error %v, want %q", p.nodes, p.cfg, err, want)
		}
	}
}

// TestBulkOfPorts checks how much of a port's RDMA and bulk memory is used, and how little is
// enough.
func TestBulkOfPorts(t *testing.T) {
	for _, test := range []struct{ rdma, bulk, piece, memory int }{
		{8, 32, 8, 32}, {15, 39, 8, 32}, {64<<10 - 1, 4097, 64<<10 - 8, 4096}, {1 << 20, 1 << 40, 64 << 10, 1<<32 - 8},
		{7, 32, 0, 0}, {8, 31, 0, 0},
	} {
		e := &Engine{port: paperPort{nodes: 2, rdma: test.rdma, bulk: test.bulk}}
		err := e.configure(Config{Transfer: Push})
		if (err != nil) != (test.piece == 0) {
			t.Errorf("%+v: error %v", test, err)
		} else if err == nil {
			if b := e.method.(*push); b.piece != test.piece || b.memory != (span{128 << 10, test.memory}) {
				t.Errorf("%+v: PUSHes of %d bytes, memory %+v", test, b.piece, b.memory)
			}
		}
	}
}

// TestNoRing checks that Engine.peer panics for a rank to which there is no ring.
func TestNoRing(t *testing.T) {
	e := Engine{port: paperPort{}, peers: []dimmnet.Rank{1, 4}}
	if e.peer(1) != 0 || e.peer(4) != 1 {
		t.Errorf("ranks 1 and 4 have indexes %d and %d", e.peer(1), e.peer(4))
	}
	defer func() {
		if got := recover(); got != "phase: rank 0 has no ring to rank 2" {
			t.Errorf("panic %v", got)
		}
	}()
	t.Errorf("rank 2 has index %d", e.peer(2))
}
