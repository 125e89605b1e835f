package ringbuf

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestTreeOfAllRanks checks a tree of as many ranks as a Rank can number, and of one less: every
// rank but the root is the child of one rank, its parent.
func TestTreeOfAllRanks(t *testing.T) {
	for _, nodes := range []int{dimmnet.MaxNodes - 1, dimmnet.MaxNodes} {
		tree := Tree{Nodes: nodes, Arity: 8}
		parents := make([]int, nodes)
		for r := range nodes {
			for _, c := range tree.Children(dimmnet.Rank(r)) {
				parents[c]++
				if p, ok := tree.Parent(c); !ok || int(p) != r || !tree.Below(c, p) || tree.Below(p, c) {
					t.Fatalf("%d nodes: rank %d has child %d, whose parent is %d", nodes, r, c, p)
				}
			}
		}
		in := make([]int, nodes) // by rank: how many subtrees of the root's children contain it
		in[0] = 1
		for _, c := range tree.Children(0) {
			for r := range tree.Subtree(c) {
				in[r]++
			}
		}
		for r := range tree.Subtree(0) {
			in[r]++
		}
		for r, n := range in {
			if n != 2 {
				t.Fatalf("%d nodes: rank %d is in %d subtrees, want one of a child of rank 0, and the whole", nodes, r, n)
			}
		}
		for r, n := range parents {
			if n != min(r, 1) {
				t.Fatalf("%d nodes: rank %d is a child of %d ranks", nodes, r, n)
			}
		}
	}
}

// TestRingsOfAllRanks checks the rings between all pairs of as many ranks as a Rank can number:
// they do not overlap, and lie below 2^32.
func TestRingsOfAllRanks(t *testing.T) {
	limits := dimmnet.Limits{Store: 8, Block: 4096, LLCM: 1 << 31} // 32 KiB for every rank
	l, err := NewLayout(limits, dimmnet.MaxNodes)
	if err != nil || l.Peers != dimmnet.MaxNodes-1 || l.Bytes() > limits.LLCM {
		t.Fatalf("%+v takes %d bytes of %d: %v", l, l.Bytes(), limits.LLCM, err)
	}
	const last = dimmnet.MaxNodes - 1
	end := 0 // of the areas so far
	for _, area := range []struct {
		bytes int // of one peer
		at    func(owner, peer dimmnet.Rank, slot int) dimmnet.Offset
	}{{l.Slots * HeaderBytes, l.header}, {l.Slots * l.SlotBytes, l.data}, {l.flagRow, l.sent}, {l.flagRow, l.received}} {
		for _, owner := range []dimmnet.Rank{0, 1, last - 1, last} {
			index := 0
			for _, peer := range []dimmnet.Rank{0, 1, 2, last - 2, last - 1, last} {
				if peer == owner {
					continue
				}
				if index = int(peer); peer > owner {
					index--
				}
				if got, want := int(area.at(owner, peer, 0)), end+index*area.bytes; got != want {
					t.Errorf("rank %d, peer %d: an area begins at %d, want %d", owner, peer, got, want)
				}
			}
		}
		end += l.Peers * area.bytes
	}
	if end != l.Bytes() {
		t.Errorf("the areas have %d bytes, Bytes says %d", end, l.Bytes())
	}
}
