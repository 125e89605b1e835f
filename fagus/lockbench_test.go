package fagus_test

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/fagus"
)

// BenchmarkLock measures tenures of variables that are locks. With "free" each rank has a variable
// of its own. With "hand-over" both want the same one; there, turns is how many tenures of a
// thousand came after one of the other rank.
func BenchmarkLock(b *testing.B) {
	cfg := fagus.Config{Nodes: 2, Net: shm.New(shm.Config{}), Mode: fagus.Threaded}
	b.Run("free", func(b *testing.B) {
		succeed(b, cfg, func(n *fagus.Node) error {
			_, guards, err := counters(n, 2)
			if err != nil {
				return err
			}
			set := n.Set(fagus.Want(guards[n.Rank()], fagus.Exclusive))
			if err := n.Barrier(); err != nil {
				return err
			}
			if n.Rank() == 0 {
				b.ResetTimer()
			}
			for range b.N {
				if err := touch(n, set); err != nil {
					return err
				}
			}
			return n.Barrier()
		})
	})
	for _, bytes := range []int{8, 4096} {
		b.Run(fmt.Sprintf("hand-over of %d bytes", bytes), func(b *testing.B) {
			var turns [2]int
			benchmarkOn(b, cfg, bytes, func(n *fagus.Node, a *fagus.Array[uint64], mine, _ *fagus.SyncSet, i int) error {
				if i == 0 {
					turns[n.Rank()] = 0
				}
				return tenure(n, mine, func() {
					words := a.Slice()
					if last := &words[0]; *last != uint64(n.Rank()) {
						turns[n.Rank()]++
						*last = uint64(n.Rank())
					}
					for i := 1; i < len(words); i++ {
						words[i]++
					}
				})
			})
			b.ReportMetric(1000*float64(turns[0]+turns[1])/float64(2*b.N), "turns")
		})
	}
}
