package fagus_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet/shm"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// benchmark runs turn b.N times on every rank of two, on goroutines. Rank 0
// holds the clock.
func benchmark(b *testing.B, bytes int, turn func(n *fagus.Node, a *fagus.Array[uint64], mine, none *fagus.SyncSet, i int) error) {
	b.Helper()
	benchmarkOn(b, fagus.Config{Nodes: 2}, bytes, turn)
}

// benchmarkOn is benchmark on other nodes.
func benchmarkOn(b *testing.B, cfg fagus.Config, bytes int, turn func(n *fagus.Node, a *fagus.Array[uint64], mine, none *fagus.SyncSet, i int) error) {
	b.Helper()
	_, err := fagus.Run(context.Background(), cfg, func(n *fagus.Node) error {
		a, err := fagus.NewArray[uint64](n, "a", bytes/8)
		if err != nil {
			return err
		}
		v, err := n.Bind("v", a.All())
		if err != nil {
			return err
		}
		mine, none := n.Set(fagus.Want(v, fagus.Exclusive)), n.Set()
		for i := range 2 { // pages are touched and buffers made before it counts
			if err := turn(n, a, mine, none, i); err != nil {
				return err
			}
		}
		if err := n.Barrier(); err != nil {
			return err
		}
		if n.Rank() == 0 {
			b.ResetTimer()
		}
		for i := range b.N {
			if err := turn(n, a, mine, none, i); err != nil {
				return err
			}
		}
		return n.Barrier()
	})
	if err != nil {
		b.Fatal(err)
	}
}

// take acquires set, changes every stride-th word, none if stride is 0, and releases.
func take(n *fagus.Node, a *fagus.Array[uint64], set *fagus.SyncSet, stride int) error {
	if err := n.Acquire(set); err != nil {
		return err
	}
	words := a.Slice()
	for i := 0; stride > 0 && i < len(words); i += stride {
		words[i]++
	}
	return n.Release(set)
}

// BenchmarkHandOver passes a region to and fro: an iteration is one direction,
// a phase in which one rank acquires exclusively what the other has changed.
func BenchmarkHandOver(b *testing.B) {
	for _, size := range []struct{ bytes, stride int }{{8, 1}, {4096, 1}, {4096, 512}, {1 << 20, 1}, {32 << 20, 1}, {32 << 20, 4096}} {
		b.Run(fmt.Sprintf("%d bytes, a word in %d", size.bytes, size.stride), func(b *testing.B) {
			b.SetBytes(int64(size.bytes))
			benchmark(b, size.bytes, func(n *fagus.Node, a *fagus.Array[uint64], mine, none *fagus.SyncSet, i int) error {
				if i%2 == n.Rank() {
					return take(n, a, mine, size.stride)
				}
				return take(n, a, none, 0)
			})
		})
	}
}

// BenchmarkAcquireRelease is a tenure of one rank, alone: nothing moves, so it shows what
// Config.Check and Config.History cost.
func BenchmarkAcquireRelease(b *testing.B) {
	for _, bytes := range []int{8, 4096, 1 << 20} {
		for _, what := range []string{"off", "check", "history"} {
			b.Run(fmt.Sprintf("bytes=%d/on=%s", bytes, what), func(b *testing.B) {
				cfg := fagus.Config{Nodes: 1}
				switch what {
				case "check":
					cfg.Check = fagus.CheckOn
				case "history":
					cfg.History = history.New()
				}
				benchmarkOn(b, cfg, bytes, func(n *fagus.Node, a *fagus.Array[uint64], mine, _ *fagus.SyncSet, _ int) error {
					return take(n, a, mine, 512)
				})
			})
		}
	}
}

// BenchmarkBarrier is a phase in which nothing moves.
func BenchmarkBarrier(b *testing.B) {
	benchmark(b, 8, barrier)
}

func barrier(n *fagus.Node, _ *fagus.Array[uint64], _, _ *fagus.SyncSet, _ int) error {
	return n.Barrier()
}

func reduce(n *fagus.Node, _ *fagus.Array[uint64], _, _ *fagus.SyncSet, _ int) error {
	_, err := fagus.Reduce(n, float64(n.Rank()), func(a, b float64) float64 { return a + b })
	return err
}

// BenchmarkHost is what ranks of a host pay for calls, by placement.
func BenchmarkHost(b *testing.B) {
	for _, place := range []fagus.Placement{fagus.PlaceShared, fagus.PlacePrivate} {
		cfg := func() fagus.Config { return fagus.Config{Nodes: 2, Net: shm.New(shm.Config{}), Placement: place} }
		b.Run(fmt.Sprintf("%v/barrier", place), func(b *testing.B) { benchmarkOn(b, cfg(), 8, barrier) })
		b.Run(fmt.Sprintf("%v/reduce", place), func(b *testing.B) { benchmarkOn(b, cfg(), 8, reduce) })
		for _, bytes := range []int{8, 4096} {
			b.Run(fmt.Sprintf("%v/hand-over of %d bytes", place, bytes), func(b *testing.B) {
				benchmarkOn(b, cfg(), bytes, func(n *fagus.Node, a *fagus.Array[uint64], mine, none *fagus.SyncSet, i int) error {
					if i%2 == n.Rank() {
						return take(n, a, mine, 1)
					}
					return take(n, a, none, 0)
				})
			})
		}
	}
}

// BenchmarkTransfer hands an array of so many bytes to and fro in virtual time,
// and reports how long one hand-over takes by rings and by PUSH.
func BenchmarkTransfer(b *testing.B) {
	for _, env := range []string{"fagus2", "A"} {
		for _, bytes := range []int{64, 128, 256, 512, 1024, 4096, 65536} {
			b.Run(fmt.Sprintf("env=%s/bytes=%d", env, bytes), func(b *testing.B) {
				for b.Loop() {
					b.ReportMetric(virtualTurn(b, env, bytes, fagus.Rings), "rings-us")
					b.ReportMetric(virtualTurn(b, env, bytes, fagus.Push), "push-us")
				}
			})
		}
	}
}

// virtualTurn is the virtual time, in microseconds, of one of many turns.
func virtualTurn(b *testing.B, env string, bytes int, by fagus.Transfer) float64 {
	b.Helper()
	const turns = 20
	net, err := sim.New(sim.Config{Env: env})
	if err != nil {
		b.Fatal(err)
	}
	report, err := fagus.Run(context.Background(), fagus.Config{Nodes: 2, Net: net, Transfer: by}, func(n *fagus.Node) error {
		a, err := fagus.NewArray[uint64](n, "a", bytes/8)
		if err != nil {
			return err
		}
		v, err := n.Bind("v", a.All())
		if err != nil {
			return err
		}
		sets := [2]*fagus.SyncSet{n.Set(fagus.Want(v, fagus.Exclusive)), n.Set()}
		for i := range turns {
			turn := (i + n.Rank()) % 2
			if err := take(n, a, sets[turn], 1-turn); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return float64(report.Ranks[0].Total()) / turns / float64(fagus.Microsecond)
}
