package parts_test

import (
	"cmp"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// benchmark calls the function that prepare returns b.N times on each of two ranks.
func benchmark(b *testing.B, prepare func(n *fagus.Node) (func() error, error)) {
	_, err := fagus.Run(b.Context(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		f, err := prepare(n)
		if err != nil {
			return err
		}
		if n.Rank() == 0 {
			b.ResetTimer()
		}
		for range b.N {
			if err := f(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkReduce reduces vectors of 1000 structs.
func BenchmarkReduce(b *testing.B) {
	benchmark(b, func(n *fagus.Node) (func() error, error) {
		v, err := parts.NewVectors[line](n, "v", 1000)
		x := lines(n.Rank(), 0, 1000)
		return func() error { return v.Reduce(x, compose) }, err
	})
}

// BenchmarkExchange sends messages of 1 MB.
func BenchmarkExchange(b *testing.B) {
	const length = 1 << 17
	b.SetBytes(2 * 8 * length)
	benchmark(b, func(n *fagus.Node) (func() error, error) {
		a, err := parts.NewAllToAll[int64](n, "a", length)
		x, got := make([]int64, length), make([]int64, length)
		return func() error {
			return a.Exchange(
				func(to [][]int64) { to[1-n.Rank()] = x },
				func(from [][]int64) { copy(got, from[1-n.Rank()]) })
		}, err
	})
}

// BenchmarkMerge merges 10000 keys of each rank, the same on both.
func BenchmarkMerge(b *testing.B) {
	benchmark(b, func(n *fagus.Node) (func() error, error) {
		t, err := parts.NewTable(n, "t", cmp.Compare[int64], func(a, b int64) int64 { return a + b })
		return func() error {
			for key := range int64(10000) {
				t.Add(key, 1)
			}
			return t.Merge()
		}, err
	})
}
