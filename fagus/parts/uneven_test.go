package parts_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// uneven returns ways to distribute tasks to so many ranks at first: all to one rank, to all but
// one, many to some and few to others, and at random.
func uneven(nodes int) (all [][]int) {
	for r := range nodes {
		one, others := make([]int, nodes), slices.Repeat([]int{17}, nodes)
		one[r], others[r] = 60, 0
		all = append(all, one, others)
	}
	two := make([]int, nodes) // two ranks give to those between them
	two[0], two[nodes-1] = 31, 24
	stairs := make([]int, nodes)
	for r := range stairs {
		stairs[r] = r * r * 5
	}
	all = append(all, two, stairs, make([]int, nodes))
	random := rand.New(rand.NewPCG(uint64(nodes), 4))
	for range 3 {
		some := make([]int, nodes)
		for r := range some {
			some[r] = random.IntN(3) * random.IntN(30)
		}
		all = append(all, some)
	}
	return all
}

// TestPoolUneven: each task is done once, and with its own value, however the first tasks are
// distributed. There are 2 to 5 ranks; boxes hold all tasks, some or one; and tasks add others.
func TestPoolUneven(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		for nodes := 2; nodes <= 5; nodes++ {
			for i, first := range uneven(nodes) {
				capacity := []int{1000, 3 * nodes, 1}[i%3]
				on := fagus.Config{Nodes: nodes, Net: inproc.New(inproc.Config{}), Mode: mode}
				all := slices.Concat(runFor(t, on, func(n *fagus.Node) (done []int32, err error) {
					p, err := parts.NewPool[int32](n, "tasks", capacity)
					if err != nil {
						return nil, err
					}
					var mine []int32
					for k := range first[n.Rank()] {
						mine = append(mine, int32(1000*n.Rank()+k))
					}
					err = p.Each(mine, func(v int32, add func(int32)) error {
						if done = append(done, v); v < 100_000 && v%10 == 0 {
							add(v + 100_000)
							add(v + 200_000)
						}
						return nil
					}, parts.Exchange{})
					return done, err
				})...)
				slices.Sort(all)
				var want []int32
				for r, count := range first {
					for k := range count {
						v := int32(1000*r + k)
						if want = append(want, v); v%10 == 0 {
							want = append(want, v+100_000, v+200_000)
						}
					}
				}
				slices.Sort(want)
				if !slices.Equal(all, want) {
					t.Fatalf("%v mode, capacity %d: ranks begin with %v tasks; done are %v, want each once: %v", mode, capacity, first, all, want)
				}
			}
		}
	}
}

// TestPoolInRounds: tasks that are dealt in turn are done once each, whatever their number.
func TestPoolInRounds(t *testing.T) {
	for nodes := 1; nodes <= 5; nodes++ {
		for _, tasks := range []int{0, 1, nodes - 1, nodes + 1, 23} {
			all := slices.Concat(runFor(t, fagus.Config{Nodes: nodes}, func(n *fagus.Node) (done []int, err error) {
				p, err := parts.NewPool[int](n, "tasks", 2*nodes)
				if err != nil {
					return nil, err
				}
				first := make([]int, tasks)
				for i := range first {
					first[i] = i
				}
				err = p.EachInRounds(first, func(v int, _ func(int)) error { done = append(done, v); return nil }, parts.Exchange{})
				return done, err
			})...)
			slices.Sort(all)
			if len(all) != tasks || len(slices.Compact(slices.Clone(all))) != tasks {
				t.Errorf("%d ranks do %v of %d tasks", nodes, all, tasks)
			}
		}
	}
}

// TestFive uses all building blocks on five ranks, some of which have more data than others, in
// both modes. Other tests use up to four ranks, and eleven and more over a tree.
func TestFive(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		on := fagus.Config{Nodes: 5, Net: inproc.New(inproc.Config{}), Mode: mode}
		for _, items := range []int{3, 23} {
			all := slices.Concat(runFor(t, on, func(n *fagus.Node) ([]int, error) {
				mine, _, err := square(n, items, 2)
				return mine, err
			})...)
			slices.Sort(all)
			if len(all) != items || len(slices.Compact(all)) != items {
				t.Errorf("%v mode: a queue of %d items: done are %v", mode, items, all)
			}
		}
		run(t, on, func(n *fagus.Node) error {
			if err := table(n, 7, "words", strings.Compare, func(i int) string { return strings.Repeat("ab", i%41) + fmt.Sprint(i%13) }); err != nil {
				return err
			}
			return table(n, 8, "numbers", cmp.Compare, func(i int) int32 { return int32(1000 - i) })
		})
		run(t, on, func(n *fagus.Node) error {
			for i, length := range []int{1, 4, 6, 43} {
				for _, inSteps := range []bool{false, true} {
					if err := fillAndRead(n, fmt.Sprint("w", i, inSteps), length, inSteps); err != nil {
						return err
					}
				}
			}
			return exchange(n, "messages", func(i int) line { return line{A: uint32(i), B: 5} })
		})
		run(t, on, func(n *fagus.Node) error {
			for _, inSteps := range []bool{false, true} {
				v, err := parts.NewVectorsInSteps[line](n, fmt.Sprint("v", inSteps), longest, inSteps)
				if err != nil {
					return err
				}
				if err := useVectors(n, v); err != nil {
					return err
				}
			}
			s, err := parts.NewSums[float64](n, "s", 5)
			if err != nil {
				return err
			}
			e, err := parts.NewExactSums(n, "e", 2)
			if err != nil {
				return err
			}
			for round := range 3 {
				if err := addUp(n, s, e, round); err != nil {
					return err
				}
			}
			return nil
		})
		for _, wrap := range []bool{false, true} {
			const rows, columns, rounds = 13, 5, 3
			want := smoothed(rows, columns, 2, rounds, wrap)
			for rank, got := range runFor(t, on, func(n *fagus.Node) ([]float64, error) {
				return smoothShared(n, parts.Shape{Rows: rows, Columns: columns, Halo: 2, Wrap: wrap}, rounds)
			}) {
				if !slices.Equal(got, want) {
					t.Errorf("%v mode, wrap %t: rank %d has %v, want %v", mode, wrap, rank, got, want)
				}
			}
		}
	}
}

// TestBroadcastFromEach: every rank, also the last, gives its vector to all. Lengths vary.
func TestBroadcastFromEach(t *testing.T) {
	for nodes := 1; nodes <= 5; nodes++ {
		run(t, fagus.Config{Nodes: nodes}, func(n *fagus.Node) error {
			for from := range nodes {
				var mine []int64
				for i := range 7 * from {
					mine = append(mine, int64(100*n.Rank()+i))
				}
				if n.Rank() != from && n.Rank()%2 == 0 {
					mine = nil
				}
				got, err := parts.Broadcast(n, mine, from)
				if err != nil {
					return err
				}
				for i, v := range got {
					if len(got) != 7*from || v != int64(100*from+i) {
						return fmt.Errorf("rank %d of %d gets %v from rank %d", n.Rank(), nodes, got, from)
					}
				}
			}
			return nil
		})
	}
}
