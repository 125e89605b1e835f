package collective

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestTree compares the tree with its definition, digit by digit, on up to three levels.
func TestTree(t *testing.T) {
	for nodes := 1; nodes <= 600; nodes++ {
		depth := 0
		for r := range nodes {
			tr := newTree(dimmnet.Rank(r), nodes)
			octal := fmt.Sprintf("%05o", r)
			for level, children := range tr.below {
				depth = max(depth, level+1)
				digit := len(octal) - 1 - level
				for i, child := range children {
					want := octal[:digit] + string(rune('1'+i)) + octal[digit+1:]
					if got := fmt.Sprintf("%05o", child); got != want || int(child) >= nodes {
						t.Fatalf("%d nodes: child %d of %s on level %d is %s, want %s", nodes, i, octal, level, got, want)
					}
					below := newTree(child, nodes)
					if below.above[0] != dimmnet.Rank(r) || below.level != level || below.digit != i+1 || len(below.below) > level {
						t.Fatalf("%d nodes: rank %s is a child of %s, but has %+v", nodes, want, octal, below)
					}
				}
				if next := r + (len(children)+1)<<(3*level); len(children) == 0 || len(children) < 7 && next < nodes {
					t.Fatalf("%d nodes: rank %s has %d children on level %d", nodes, octal, len(children), level)
				}
			}
			if (tr.above == nil) != (r == 0) {
				t.Fatalf("%d nodes: rank %s has the parent %v", nodes, octal, tr.above)
			}
		}
		if depth != levels(nodes) {
			t.Fatalf("%d nodes: %d levels, want %d", nodes, depth, levels(nodes))
		}
	}
}

func TestLevels(t *testing.T) {
	for _, c := range []struct{ nodes, want int }{
		{1, 0}, {2, 1}, {8, 1}, {9, 2}, {64, 2}, {65, 3}, {512, 3}, {513, 4}, {dimmnet.MaxNodes, 6},
	} {
		if got := levels(c.nodes); got != c.want {
			t.Errorf("%d nodes: %d levels, want %d", c.nodes, got, c.want)
		}
	}
}

// TestEntriesAreApart checks that the entries of an area do not overlap, that all words are
// aligned, and that the area has the size that Bytes returns.
func TestEntriesAreApart(t *testing.T) {
	const base, nodes = 40, 100
	a, err := newArea(base, nodes, dimmnet.Limits{LLCM: 1 << 17})
	if err != nil {
		t.Fatal(err)
	}
	used := make(map[int]string)
	take := func(what string, off dimmnet.Offset, n int) {
		for i := int(off); i < int(off)+n; i++ {
			if used[i] != "" || i < base || i >= base+Bytes(nodes) || off%8 != 0 {
				t.Fatalf("%s at %d overlaps %q", what, off, used[i])
			}
			used[i] = what
		}
	}
	for level := range levels(nodes) {
		take(fmt.Sprint("counts ", level), a.counts(level), 8)
		for d := range arity {
			for f, n := range []int{8, 24, 16} {
				take(fmt.Sprint("place ", f, level, d), a.entry(format(f), level, d), n)
			}
		}
	}
	if len(used) != Bytes(nodes) {
		t.Errorf("%d bytes are used, Bytes returns %d", len(used), Bytes(nodes))
	}
}

// TestCountsWrap checks that count 0 follows the largest count.
func TestCountsWrap(t *testing.T) {
	for _, c := range []struct {
		got, due uint8
		here, ok bool
	}{
		{0, 1, false, true}, {1, 1, true, true}, {255, 0, false, true}, {0, 0, true, true},
		{1, 0, false, false}, {254, 0, false, false}, {7, 5, false, false},
	} {
		here, err := checkCount(3, c.got, c.due)
		if here != c.here || (err == nil) != c.ok {
			t.Errorf("count %d, due %d: %v, %v", c.got, c.due, here, err)
		}
	}
}
