package parts_test

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

func third[T any](_ T, _ bool, err error) error { return err }

// BenchmarkPipe passes values from rank 0 to rank 1: by a Channel, and by a ring under a variable
// that both ranks acquire until there is room or a value. The times are of a value, by the clock of
// the network.
func BenchmarkPipe(b *testing.B) {
	const values, capacity = 2000, 16
	simulated, err := sim.New(sim.Config{})
	if err != nil {
		b.Fatal(err)
	}
	ways := map[string]func(*fagus.Node) (send func(int64) error, receive func() error, err error){
		"channel": func(n *fagus.Node) (func(int64) error, func() error, error) {
			c, err := parts.NewChannel[int64](n, "c", capacity, 1)
			return func(v int64) error { return c.Send(v) }, func() error { return third(c.Receive()) }, err
		},
		"lock": func(n *fagus.Node) (func(int64) error, func() error, error) {
			ring := fagus.NewGuarded[int64](n, "ring", capacity+2)
			set := n.Set(ring.Write().Unordered())
			try := func(f func(head, ring []int64) bool) error {
				for done := false; !done; {
					if err := set.Do(func() { done = f(ring.Slice()[:2], ring.Slice()[2:]) }); err != nil {
						return err
					}
				}
				return nil
			}
			return func(v int64) error {
					return try(func(head, ring []int64) bool {
						if head[0]-head[1] == capacity {
							return false
						}
						ring[head[0]%capacity] = v
						head[0]++
						return true
					})
				}, func() error {
					return try(func(head, ring []int64) bool {
						if head[0] == head[1] {
							return false
						}
						head[1]++
						return true
					})
				}, n.Err()
		},
	}
	for _, net := range []struct {
		name string
		net  dimmnet.Network
	}{{"inproc", inproc.New(inproc.Config{})}, {"shm", shm.New(shm.Config{})}, {"tcp", tcp.New(tcp.Config{})}, {"dimmnet1", simulated}} {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			for _, way := range []string{"channel", "lock"} {
				b.Run(fmt.Sprint(net.name, "/", mode, "/", way), func(b *testing.B) {
					total, calls := fagus.Time(0), uint64(0)
					for b.Loop() {
						report, err := fagus.Run(b.Context(), fagus.Config{Nodes: 2, Net: net.net, Mode: mode}, func(n *fagus.Node) error {
							send, receive, err := ways[way](n)
							if err != nil {
								return err
							}
							if err := n.Barrier(); err != nil {
								return err
							}
							took, err := n.Measure(func() error {
								for i := range int64(values) {
									if n.Rank() == 0 {
										err = send(i)
									} else {
										err = receive()
									}
									if err != nil {
										return err
									}
								}
								return nil
							})
							if n.Rank() == 1 {
								total += took
							}
							return err
						})
						if err != nil {
							b.Fatal(err)
						}
						calls += uint64(report.Ranks[1].Parts[fagus.PartAcquire].Calls)
					}
					b.ReportMetric(float64(total.Nanoseconds())/float64(b.N*values), "ns/value")
					b.ReportMetric(float64(calls)/float64(b.N*values), "acquires/value")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}
