package ringbuf

import (
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestTree checks parents, children and sizes in trees of many sizes and arities.
func TestTree(t *testing.T) {
	for _, arity := range []int{1, 2, 3, 8} {
		for nodes := 1; nodes < 200; nodes++ {
			tree := Tree{Nodes: nodes, Arity: arity}
			sizes := make([]int, nodes)
			for r := dimmnet.Rank(nodes); r > 0; r-- {
				own := r - 1
				sizes[own]++
				parent, ok := tree.Parent(own)
				if ok != (own > 0) || ok && (parent >= own || !slices.Contains(tree.Children(parent), own)) {
					t.Fatalf("%+v: rank %d is below %d, whose children are %v", tree, own, parent, tree.Children(parent))
				}
				if ok {
					sizes[parent] += sizes[own]
				}
				if len(tree.Children(own)) > arity {
					t.Fatalf("%+v: rank %d has the wrong children %v", tree, own, tree.Children(own))
				}
			}
			for top := range dimmnet.Rank(nodes) {
				var below []dimmnet.Rank
				for r := range dimmnet.Rank(nodes) {
					if tree.Below(r, top) {
						below = append(below, r)
					}
				}
				if subtree := slices.Collect(tree.Subtree(top)); len(below) != sizes[top] || tree.Size(top) != sizes[top] || !slices.Equal(subtree, below) {
					t.Fatalf("%+v: ranks %v are below rank %d, Subtree says %v, want %d", tree, below, top, subtree, sizes[top])
				}
			}
		}
	}
}

// TestTreeLayout checks that every neighbour of a rank has its own areas, whatever the number of
// nodes.
func TestTreeLayout(t *testing.T) {
	for _, nodes := range []int{2, 9, 10, 100, 65536} {
		tree := Tree{Nodes: nodes, Arity: 8}
		l, err := NewTreeLayout(dimmnet1, tree)
		if err != nil || l.Peers != 9 || l.SlotBytes != MaxSlotBytes || l.Bytes() > dimmnet1.LLCM {
			t.Fatalf("%d nodes: %+v takes %d bytes, error %v", nodes, l, l.Bytes(), err)
		}
		for _, owner := range []dimmnet.Rank{0, 1, dimmnet.Rank(nodes / 9), dimmnet.Rank(nodes - 1)} {
			neighbours := tree.Children(owner)
			if parent, ok := tree.Parent(owner); ok {
				neighbours = append(neighbours, parent)
			}
			seen := make(map[dimmnet.Offset]dimmnet.Rank)
			for _, peer := range neighbours {
				at := l.header(owner, peer, 0)
				if other, ok := seen[at]; ok || int(at) >= l.Peers*l.Slots*HeaderBytes {
					t.Errorf("%d nodes: headers of ranks %d and %d at rank %d are both at %d", nodes, other, peer, owner, at)
				}
				seen[at] = peer
			}
		}
	}
	tree := Tree{Nodes: 100, Arity: 8}
	for _, pair := range [][2]dimmnet.Rank{{1, 2}, {2, 1}, {0, 9}, {9, 0}, {0, 0}} {
		panics(t, "are not neighbours in a tree of 100", func() { tree.Index(pair[0], pair[1]) })
	}
	_, err := NewTreeLayout(dimmnet.Limits{Store: 8, Block: 464, LLCM: 1583}, Tree{Nodes: 2, Arity: 8})
	if err == nil || !strings.Contains(err.Error(), "which take 1584") {
		t.Errorf("an LLCM of 1583 bytes: error %v", err)
	}
}
