package sim_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// pingPong sends a word to and fro between ranks 2i and 2i+1.
func pingPong(rounds uint64) func(dimmnet.Host) error {
	return func(h dimmnet.Host) error {
		p := h.Port()
		peer := p.Rank() ^ 1
		for i := uint64(1); i <= rounds; i++ {
			if p.Rank()&1 == 0 && !p.Store(peer, 0, i, 8) {
				return fmt.Errorf("round %d: Store returned false", i)
			}
			for {
				mark := p.Arrivals()
				if p.Load(0) == i {
					break
				}
				if err := p.Err(); err != nil {
					return err
				}
				p.Idle(mark)
			}
			if p.Rank()&1 == 1 && !p.Store(peer, 0, i, 8) {
				return fmt.Errorf("round %d: Store returned false", i)
			}
		}
		return nil
	}
}

// BenchmarkPingPong reports the numbers of events and of messages that the simulator handles per
// second of real time, and the memory that a node needs.
func BenchmarkPingPong(b *testing.B) {
	for _, nodes := range []int{2, 64, 1024} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			net, err := sim.New(sim.Config{})
			if err != nil {
				b.Fatal(err)
			}
			rounds := uint64(400_000 / nodes)
			var events, messages uint64
			var bytes int64
			for b.Loop() {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				body := pingPong(rounds)
				err := net.Run(context.Background(), nodes, func(h dimmnet.Host) error {
					err := body(h)
					// measured while the other threads still hold their stacks
					if int(h.Port().Rank()) == nodes-1 {
						runtime.ReadMemStats(&after)
					}
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
				events += net.Result().Events
				messages += rounds * uint64(nodes)
				bytes = int64(after.HeapAlloc+after.StackInuse) - int64(before.HeapAlloc+before.StackInuse)
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
			b.ReportMetric(float64(messages)/b.Elapsed().Seconds()/1e6, "Mmessages/s")
			b.ReportMetric(float64(bytes)/float64(nodes), "B/node")
		})
	}
}
