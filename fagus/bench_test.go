package fagus_test

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/trace"
)

// benchmark runs turn b.N times on each of two ranks, on goroutines. Rank 0 controls the
// timer.
func benchmark(b *testing.B, bytes int, turn func(n *fagus.Node, a *fagus.Array[uint64], mine, none *fagus.SyncSet, i int) error) {
	b.Helper()
	benchmarkOn(b, fagus.Config{Nodes: 2}, bytes, turn)
}

// benchmarkOn is benchmark with a given configuration.
func benchmarkOn(b *testing.B, cfg fagus.Config, bytes int, turn func(n *fagus.Node, a *fagus.Array[uint64], mine, none *fagus.SyncSet, i int) error) {
	b.Helper()
	_, err := fagus.Run(b.Context(), cfg, func(n *fagus.Node) error {
		a, v, err := guarded[uint64](n, bytes/8)
		if err != nil {
			return err
		}
		mine, none := n.Set(fagus.Want(v, fagus.Exclusive)), n.Set()
		for i := range 2 { // touches pages and makes buffers before the measurement
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

// change acquires set, changes every stride-th word, none if stride is 0, and releases set.
func change(n *fagus.Node, a *fagus.Array[uint64], set *fagus.SyncSet, stride int) error {
	if err := n.Acquire(set); err != nil {
		return err
	}
	words := a.Slice()
	for i := 0; stride > 0 && i < len(words); i += stride {
		words[i]++
	}
	return n.Release(set)
}

// handOverTurn lets the ranks change the array in turn.
func handOverTurn(stride int) func(n *fagus.Node, a *fagus.Array[uint64], mine, none *fagus.SyncSet, i int) error {
	return func(n *fagus.Node, a *fagus.Array[uint64], mine, none *fagus.SyncSet, i int) error {
		if i%2 == n.Rank() {
			return change(n, a, mine, stride)
		}
		return change(n, a, none, 0)
	}
}

// BenchmarkHandOver passes an array back and forth. An iteration is one direction: a phase in
// which one rank acquires exclusively what the other has changed.
func BenchmarkHandOver(b *testing.B) {
	for _, size := range []struct{ bytes, stride int }{{8, 1}, {4096, 1}, {4096, 512}, {1 << 20, 1}, {32 << 20, 1}, {32 << 20, 4096}} {
		b.Run(fmt.Sprintf("%d bytes, a word in %d", size.bytes, size.stride), func(b *testing.B) {
			b.SetBytes(int64(size.bytes))
			benchmark(b, size.bytes, handOverTurn(size.stride))
		})
	}
}

// BenchmarkAcquireRelease measures a tenure with a single rank. No data move, so it shows the
// cost of Config.Meter, Config.Check, Config.History and Config.Trace.
func BenchmarkAcquireRelease(b *testing.B) {
	for _, bytes := range []int{8, 4096, 1 << 20} {
		for _, what := range []string{"off", "metrics", "check", "history", "trace"} {
			b.Run(fmt.Sprintf("bytes=%d/on=%s", bytes, what), func(b *testing.B) {
				cfg := fagus.Config{Nodes: 1}
				switch what {
				case "metrics":
					cfg.Meter = meter.New()
				case "check":
					cfg.Check = fagus.CheckOn
				case "history":
					cfg.History = history.New()
				case "trace":
					cfg.Trace = trace.New()
				}
				benchmarkOn(b, cfg, bytes, func(n *fagus.Node, a *fagus.Array[uint64], mine, _ *fagus.SyncSet, _ int) error {
					return change(n, a, mine, 512)
				})
			})
		}
	}
}

// BenchmarkBarrier measures a phase in which no data move.
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

// BenchmarkHost measures calls of ranks that share memory, by placement.
func BenchmarkHost(b *testing.B) {
	for _, place := range []fagus.Placement{fagus.PlaceShared, fagus.PlacePrivate} {
		cfg := func() fagus.Config { return fagus.Config{Nodes: 2, Net: shm.New(shm.Config{}), Placement: place} }
		b.Run(fmt.Sprintf("%v/barrier", place), func(b *testing.B) { benchmarkOn(b, cfg(), 8, barrier) })
		b.Run(fmt.Sprintf("%v/reduce", place), func(b *testing.B) { benchmarkOn(b, cfg(), 8, reduce) })
		for _, bytes := range []int{8, 4096} {
			b.Run(fmt.Sprintf("%v/hand-over of %d bytes", place, bytes), func(b *testing.B) {
				benchmarkOn(b, cfg(), bytes, handOverTurn(1))
			})
		}
	}
}

// BenchmarkTransfer passes an array back and forth in virtual time, and reports how long one
// direction takes by rings and by PUSH.
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

// virtualTurn returns the mean virtual time of a turn in microseconds.
func virtualTurn(b *testing.B, env string, bytes int, by fagus.Transfer) float64 {
	b.Helper()
	const turns = 20
	report := succeed(b, fagus.Config{Nodes: 2, Net: newSim(b, sim.Config{Env: env}), Transfer: by}, func(n *fagus.Node) error {
		a, v, err := guarded[uint64](n, bytes/8)
		if err != nil {
			return err
		}
		sets := [2]*fagus.SyncSet{n.Set(fagus.Want(v, fagus.Exclusive)), n.Set()}
		for i := range turns {
			turn := (i + n.Rank()) % 2
			if err := change(n, a, sets[turn], 1-turn); err != nil {
				return err
			}
		}
		return nil
	})
	return float64(report.Ranks[0].Total()) / turns / float64(fagus.Microsecond)
}
