package pairs

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestLinesApart: in an inline area no two peers write the same byte, and a peer writes no byte
// for two phases or two purposes. This holds for attached contents of each size.
func TestLinesApart(t *testing.T) {
	for nodes := 2; nodes <= 6; nodes++ {
		limits := dimmnet.Limits{LLCM: 1 << 16}
		a, _ := NewArea(&limits, nodes)
		a.AddBlocks(&limits)
		for owner := range dimmnet.Rank(nodes) {
			owners := make(map[dimmnet.Offset]string)
			claim := func(what string, at dimmnet.Offset, n int) {
				for i := range n {
					o := at + dimmnet.Offset(i)
					if other, taken := owners[o]; taken || int(o) < limits.LLCM || int(o) >= 1<<16 {
						t.Fatalf("%d nodes: byte %d of rank %d is that of %s, and of %s", nodes, o, owner, what, other)
					}
					owners[o] = what
				}
			}
			for peer := range dimmnet.Rank(nodes) {
				if peer == owner {
					continue
				}
				for phase := range uint64(2) {
					claim("a request", a.request(owner, peer, phase), 8)
					claim("a value", a.value(owner, peer, phase), 8)
					claim("contents", a.attached(owner, peer, phase, attachBytes), attachBytes)
					if a.block > 0 {
						claim("a block", a.attached(owner, peer, phase, attachBytes+1), a.block)
					}
				}
			}
		}
	}
}
