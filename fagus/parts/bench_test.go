package parts_test

import (
	"cmp"
	"fmt"
	"math"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
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

// BenchmarkExchangeSimulated exchanges messages of equal length in two steps and directly, on
// simulated nodes. It reports virtual microseconds a call: of the first one, whose phases are new,
// and of the last of 8, whose phases repeat.
func BenchmarkExchangeSimulated(b *testing.B) {
	for _, nodes := range []int{16, 32, 64} {
		for _, each := range []int{8, 64, 256, 1024} {
			for way, most := range map[string]int{"direct": -1, "steps": math.MaxInt} {
				b.Run(fmt.Sprintf("nodes=%d/bytes=%d/%s", nodes, each, way), func(b *testing.B) {
					const calls = 8
					simulated(b, nodes, calls, func(n *fagus.Node) (func() error, error) {
						a, err := parts.NewAllToAll[int64](n, "a", each/8)
						if err != nil {
							return nil, err
						}
						a.SetMost(most)
						x := make([]int64, each/8)
						return func() error {
							return a.Exchange(func(to [][]int64) {
								for r := range to {
									to[r] = x
								}
							}, func([][]int64) {})
						}, nil
					})
				})
			}
		}
	}
}

// BenchmarkWholeSimulated fills and reads a vector in two steps and directly, on simulated nodes,
// as BenchmarkExchangeSimulated does. Here bytes are the size of a rank's block.
func BenchmarkWholeSimulated(b *testing.B) {
	for _, nodes := range []int{16, 32, 64} {
		for _, each := range []int{8, 64, 512, 4096} {
			for _, inSteps := range []bool{false, true} {
				b.Run(fmt.Sprintf("nodes=%d/bytes=%d/steps=%v", nodes, each, inSteps), func(b *testing.B) {
					const calls = 10
					simulated(b, nodes, calls, func(n *fagus.Node) (func() error, error) {
						w, err := parts.NewWholeInSteps[int64](n, "w", nodes*each/8, inSteps)
						return func() error {
							if err := w.Fill(func([]int64) {}); err != nil {
								return err
							}
							return w.Read(func([]int64) {})
						}, err
					})
				})
			}
		}
	}
}

// BenchmarkSumsSimulated adds vectors of float64 and of int64, scattered and folded, on 32
// simulated nodes, as BenchmarkExchangeSimulated does.
func BenchmarkSumsSimulated(b *testing.B) {
	for _, length := range []int{16, 64, 256, 1024} {
		for _, scatter := range []bool{false, true} {
			sumsSimulated[float64](b, length, scatter)
			sumsSimulated[int64](b, length, scatter)
		}
	}
}

func sumsSimulated[T parts.Number](b *testing.B, length int, scatter bool) {
	b.Run(fmt.Sprintf("%T/length=%d/scatter=%v", T(0), length, scatter), func(b *testing.B) {
		const nodes, calls = 32, 8
		simulated(b, nodes, calls, func(n *fagus.Node) (func() error, error) {
			s, err := parts.NewSumsBy[T](n, "s", length, scatter)
			x := make([]T, length)
			return func() error { return s.Add(x) }, err
		})
	})
}

// simulated calls the function that prepare returns on simulated nodes, and reports the virtual
// time of the first and of the last call.
func simulated(b *testing.B, nodes, calls int, prepare func(n *fagus.Node) (func() error, error)) {
	var first, last fagus.Time
	for b.Loop() {
		net, err := sim.New(sim.Config{Env: "fagus2"})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := fagus.Run(b.Context(), fagus.Config{Nodes: nodes, Net: net}, func(n *fagus.Node) error {
			f, err := prepare(n)
			if err != nil {
				return err
			}
			for i := range calls {
				took, err := parts.Timed(n, f)
				if err != nil {
					return err
				}
				if i == 0 && n.Rank() == 0 {
					first = took
				}
				last = took
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(first)/float64(fagus.Microsecond), "first-us")
	b.ReportMetric(float64(last)/float64(fagus.Microsecond), "last-us")
}

// BenchmarkMergeWords merges 10000 words of each rank, the same on both.
func BenchmarkMergeWords(b *testing.B) {
	words := make([]string, 10000)
	for i := range words {
		words[i] = fmt.Sprintf("the word %d", i*7919)
	}
	benchmark(b, func(n *fagus.Node) (func() error, error) {
		t, err := parts.NewTable(n, "t", cmp.Compare[string], func(a, b int64) int64 { return a + b })
		return func() error {
			for _, word := range words {
				t.Add(word, 1)
			}
			return t.Merge()
		}, err
	})
}

// BenchmarkBroadcast sends 10000 words, and as many bytes.
func BenchmarkBroadcast(b *testing.B) {
	words, size := make([]string, 10000), 0
	for i := range words {
		words[i] = fmt.Sprintf("the word %d", i*7919)
		size += 1 + len(words[i])
	}
	b.Run("words", func(b *testing.B) {
		benchmark(b, func(n *fagus.Node) (func() error, error) {
			return func() error {
				_, err := parts.Broadcast(n, words, 0)
				return err
			}, nil
		})
	})
	b.Run("bytes", func(b *testing.B) {
		benchmark(b, func(n *fagus.Node) (func() error, error) {
			return func() error {
				_, err := parts.Broadcast(n, make([]byte, size), 0)
				return err
			}, nil
		})
	})
}

// BenchmarkGather gathers a struct with a string and a slice, and a number by fagus.Gather.
func BenchmarkGather(b *testing.B) {
	b.Run("struct", func(b *testing.B) {
		benchmark(b, func(n *fagus.Node) (func() error, error) {
			return func() error {
				_, err := parts.Gather(n, person{"name", []string{"a friend"}, 5})
				return err
			}, nil
		})
	})
	b.Run("number", func(b *testing.B) {
		benchmark(b, func(n *fagus.Node) (func() error, error) {
			return func() error {
				_, err := fagus.Gather(n, n.Rank())
				return err
			}, nil
		})
	})
}
