package fagus_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/meter"
)

// BenchmarkMeter measures what a Meter adds to a call: runs without and with one take turns, and
// the shortest of each count. A single rank has only its own work. An iteration is one run of each
// kind.
func BenchmarkMeter(b *testing.B) {
	const calls = 500 // few, so that some runs are not interrupted on a busy machine
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		for _, nodes := range []int{1, 2} {
			for what, call := range map[string]func(n *fagus.Node, set *fagus.SyncSet) error{
				"Barrier": func(n *fagus.Node, _ *fagus.SyncSet) error { return n.Barrier() },
				"tenure of 10 us": func(n *fagus.Node, set *fagus.SyncSet) error {
					return set.Do(func() {
						for begun := time.Now(); time.Since(begun) < 10*time.Microsecond; {
						}
					})
				},
				"tenure": func(n *fagus.Node, set *fagus.SyncSet) error {
					if err := n.Acquire(set); err != nil {
						return err
					}
					return n.Release(set)
				},
			} {
				b.Run(fmt.Sprintf("%v mode, %d ranks, %s", mode, nodes, what), func(b *testing.B) {
					var best [2]time.Duration
					for b.Loop() {
						for on, m := range []*meter.Meter{nil, meter.New()} {
							_, err := fagus.Run(b.Context(), fagus.Config{Nodes: nodes, Mode: mode, Meter: m}, func(n *fagus.Node) error {
								x := fagus.NewGuarded[int64](n, "x", 1)
								y := fagus.NewGuarded[int64](n, "y", 1)
								set := n.Set(y.Read())
								if nodes == 1 {
									set = n.Set(x.Write())
								}
								for range 100 {
									if err := call(n, set); err != nil {
										return err
									}
								}
								begun := time.Now()
								for range calls {
									if err := call(n, set); err != nil {
										return err
									}
								}
								if took := time.Since(begun); n.Rank() == 0 && (best[on] == 0 || took < best[on]) {
									best[on] = took
								}
								return nil
							})
							if err != nil {
								b.Fatal(err)
							}
						}
					}
					off, on := float64(best[0].Nanoseconds())/calls, float64(best[1].Nanoseconds())/calls
					b.ReportMetric(off, "ns/call-off")
					b.ReportMetric(on, "ns/call-on")
				})
			}
		}
	}
}
