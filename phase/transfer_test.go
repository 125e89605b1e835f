package phase

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/agreement"
	"github.com/fagus-dsm/fagus/phase/agreement/tree"
	"github.com/fagus-dsm/fagus/phase/movement"
)

// paperPort has the limits of DIMMnet-1. It moves nothing.
type paperPort struct {
	dimmnet.Port
	nodes int
}

func (p paperPort) Rank() dimmnet.Rank { return 0 }
func (p paperPort) Nodes() int         { return p.nodes }
func (p paperPort) Limits() dimmnet.Limits {
	return dimmnet.Limits{Store: 8, Block: 464, RDMA: 1 << 20, LLCM: 128 << 10, Bulk: 256 << 20, Multicast: 7}
}

// TestLayoutOfDIMMnet1 divides the LLCM of DIMMnet-1 for runs of all sizes: with lists between all
// pairs for up to 64 nodes (slots hold whole pages for up to 16), and with a tree for more.
func TestLayoutOfDIMMnet1(t *testing.T) {
	for _, test := range []struct {
		nodes, peers, slotBytes, words int
	}{
		{1, 1, 4096, 170}, {2, 1, 4096, 170}, {16, 15, 4096, 170}, {17, 16, 3712, 170},
		{64, 63, 928, 170}, {65, 9, 4096, 1323}, {65536, 9, 4096, 1323},
	} {
		for _, by := range []Transfer{Auto, Push} {
			m := paperMover(test.nodes)
			lists := ListsAll
			if test.nodes > 64 {
				lists = ListsAuto
			}
			a, err := choose(m, Config{Transfer: by, Lists: lists})
			if err != nil {
				t.Fatal(err)
			}
			cfg := m.Push().Config
			if l := m.Layout; l.Peers != test.peers || l.SlotBytes != test.slotBytes || cfg.Words.Count() != test.words {
				t.Errorf("%d nodes: %d words and layout %+v, want %+v", test.nodes, cfg.Words.Count(), l, test)
			}
			if overTree := isTree(a); overTree != (test.nodes > 64) || (cfg.Least > 0) != (by == Auto && !overTree) {
				t.Errorf("%d nodes, %v: tree %t, PUSH from %d bytes", test.nodes, by, overTree, cfg.Least)
			}
		}
		m := paperMover(test.nodes)
		if _, err := choose(m, Config{Transfer: Rings}); (err == nil) != (test.nodes <= 745) || m.Push() != nil {
			t.Errorf("%d nodes by rings: error %v", test.nodes, err)
		}
	}
}

// paperMover returns a Mover on a paperPort.
func paperMover(nodes int) *movement.Mover {
	return movement.New(paperPort{nodes: nodes}, new(consistency.Space), 0, nil)
}

func isTree(a agreement.Protocol) bool {
	_, is := a.(*tree.Protocol)
	return is
}

// TestSwitchOver: lists travel over a tree on request, and with too many nodes for rings.
func TestSwitchOver(t *testing.T) {
	for _, test := range []struct {
		nodes int
		cfg   Config
		tree  bool
	}{
		{simulatedRingNodes, Config{}, false},
		{simulatedRingNodes + 1, Config{}, true},
		{simulatedRingNodes + 1, Config{Transfer: Push}, true},
		{simulatedRingNodes + 1, Config{Transfer: Rings}, false},
		{simulatedRingNodes + 1, Config{Lists: ListsAll}, false},
		{LiveRingNodes, Config{Live: true}, false},
		{LiveRingNodes + 1, Config{Live: true}, true},
		{LiveRingNodes + 1, Config{Live: true, Views: true}, true},
		{LiveRingNodes + 1, Config{Live: true, Lists: ListsAll}, false},
		{LiveRingNodes, Config{Live: true, Views: true}, false},
		{2, Config{Live: true, Views: true, Lists: ListsTree}, true},
		{2, Config{Lists: ListsTree}, true},
		{1, Config{Lists: ListsTree}, false},
	} {
		if a, err := choose(paperMover(test.nodes), test.cfg); err != nil || isTree(a) != test.tree {
			t.Errorf("%d nodes, %+v: tree %t, error %v", test.nodes, test.cfg, isTree(a), err)
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
		if _, err := choose(paperMover(p.nodes), p.cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d nodes, %+v: error %v, want %q", p.nodes, p.cfg, err, want)
		}
	}
}
