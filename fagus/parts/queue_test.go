package parts_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// TestQueue: every batch is done once, and its results are stored once.
func TestQueue(t *testing.T) {
	everywhere(t, func(on fagus.Config) {
		for _, items := range []int{0, 1, 23, 100} {
			on.Check = fagus.CheckOn
			squares := make([]int64, items)
			all := slices.Concat(runFor(t, on, func(n *fagus.Node) ([]int, error) {
				mine, all, err := square(n, items, 3)
				if n.Rank() == 0 {
					copy(squares, all)
				}
				return mine, err
			})...)
			slices.Sort(all)
			for i := range items {
				if len(all) != items || all[i] != i || squares[i] != int64(i*i) {
					t.Fatalf("%d nodes, %v mode: the items done are %v, the squares %v", on.Nodes, on.Mode, all, squares)
				}
			}
		}
	})
}

// square squares the items of a queue, each after a random time. It returns the items that this
// rank squared, and the squares of all items.
func square(n *fagus.Node, items, batch int) (mine []int, all []int64, err error) {
	results, err := fagus.NewArray[int64](n, "results", max(1, items))
	if err != nil {
		return nil, nil, err
	}
	q, err := parts.NewQueue(n, "q", items, batch)
	if err != nil {
		return nil, nil, err
	}
	guards := make([]*fagus.SyncVar, q.Batches())
	var reads []fagus.Request
	for b := range guards {
		if guards[b], err = n.Bind(fmt.Sprint("results.", b), results.Range(q.Batch(b))); err != nil {
			return nil, nil, err
		}
		reads = append(reads, guards[b].Read())
	}
	random := rand.New(rand.NewPCG(uint64(items), uint64(n.Rank())))
	out := make([]int64, items)
	err = q.Each(func(b int) error {
		for lo, hi := q.Batch(b); lo < hi; lo++ {
			out[lo] = int64(lo * lo)
			mine = append(mine, lo)
			n.Spend(fagus.Time(random.IntN(100)) * fagus.Microsecond)
		}
		return nil
	}, parts.Results{
		Want: func(b int) fagus.Request { return guards[b].Write() },
		Store: func(b int) {
			lo, hi := q.Batch(b)
			copy(results.Slice()[lo:hi], out[lo:hi])
		},
	})
	if err != nil {
		return nil, nil, err
	}
	if err := n.Barrier(); err != nil {
		return nil, nil, err
	}
	err = n.Set(reads...).Do(func() { all = slices.Clone(results.Slice()[:items]) })
	return mine, all, err
}

// TestQueueOnce: a second Each is an error.
func TestQueueOnce(t *testing.T) {
	run(t, fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		q, err := parts.NewQueue(n, "q", 5, 1)
		if err != nil {
			return err
		}
		nothing := func(int) error { return nil }
		if err := q.Each(nothing, parts.Results{}); err != nil {
			return err
		}
		if err := q.Each(nothing, parts.Results{}); err == nil || !strings.Contains(err.Error(), `queue "q": Each was called before`) {
			t.Errorf("a second Each: %v", err)
		}
		return nil
	})
}

// TestPool: every task of a tree is done once, and every rank learns the largest.
func TestPool(t *testing.T) {
	everywhere(t, func(on fagus.Config) {
		for _, room := range []int{1, 4, 1000} {
			on.Check = fagus.CheckOn
			all := slices.Concat(runFor(t, on, func(n *fagus.Node) ([]int32, error) { return tree(n, room) })...)
			slices.Sort(all)
			want := []int32{}
			for v := int32(1); v < 128; v++ {
				want = append(want, v)
			}
			if !slices.Equal(all, want) {
				t.Fatalf("%d nodes, %v mode, room for %d: the tasks done are %v, want 1 to 127, each once", on.Nodes, on.Mode, room, all)
			}
		}
	})
}

// tree does the tasks of a binary tree in which task v adds 2v and 2v+1. It returns the tasks that
// this rank did, and checks that the exchange brings the largest task of all to every rank.
func tree(n *fagus.Node, room int) (mine []int32, err error) {
	largest := fagus.NewGuarded[int32](n, "largest", 1)
	p, err := parts.NewPool[int32](n, "tasks", room)
	if err != nil {
		return nil, err
	}
	var first []int32
	if n.Rank() == n.Nodes()-1 {
		first = []int32{2, 3}
	}
	if n.Rank() == 0 {
		mine = append(mine, 1) // the root
	}
	own, known := int32(1), int32(0)
	err = p.Each(first, func(v int32, add func(int32)) error {
		mine = append(mine, v)
		own = max(own, v)
		n.Spend(fagus.Time(v%7) * 10 * fagus.Microsecond)
		if v < 64 {
			add(2 * v)
			add(2*v + 1)
		}
		return nil
	}, parts.Exchange{
		Want: func() []fagus.Request {
			if own > known {
				return []fagus.Request{largest.Write().Unordered()}
			}
			return []fagus.Request{largest.Read().Unordered()}
		},
		Do: func() {
			if own > known {
				largest.Slice()[0] = max(largest.Slice()[0], own)
			}
			known = largest.Slice()[0]
		},
	})
	if err != nil {
		return nil, err
	}
	if err := n.Barrier(); err != nil {
		return nil, err
	}
	var found int32
	if err := n.Set(largest.Read()).Do(func() { found = largest.Slice()[0] }); err != nil {
		return nil, err
	}
	if found != 127 {
		return nil, fmt.Errorf("the largest task is %d, want 127", found)
	}
	return mine, nil
}
