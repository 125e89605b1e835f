package fagus_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
)

// benchmark runs turn b.N times on every rank of two, on goroutines. Rank 0
// holds the clock.
func benchmark(b *testing.B, bytes int, turn func(n *fagus.Node, a *fagus.Array[uint64], mine, none *fagus.SyncSet, i int) error) {
	b.Helper()
	const nodes = 2
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: nodes}, func(n *fagus.Node) error {
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

// take acquires set, changes every stride-th word, and releases.
func take(n *fagus.Node, a *fagus.Array[uint64], set *fagus.SyncSet, stride int) error {
	if err := n.Acquire(set); err != nil {
		return err
	}
	if set.String() != "an empty set" {
		words := a.Slice()
		for i := 0; i < len(words); i += stride {
			words[i]++
		}
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
				return take(n, a, none, size.stride)
			})
		})
	}
}

// BenchmarkBarrier is a phase in which nothing moves.
func BenchmarkBarrier(b *testing.B) {
	benchmark(b, 8, func(n *fagus.Node, _ *fagus.Array[uint64], _, _ *fagus.SyncSet, _ int) error { return n.Barrier() })
}
