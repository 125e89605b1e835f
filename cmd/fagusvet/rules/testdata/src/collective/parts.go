package collective

import (
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

func stepAtOne(n *fagus.Node, p *parts.Pair[int64]) error {
	if n.Rank() == 0 {
		p.Step(func() error { return nil }) // want `collective: Step depends on the rank`
	}
	return n.Err()
}

func vectorsAtOne(n *fagus.Node, v *parts.Vectors[int64], a *parts.AllToAll[int64]) {
	if n.Rank() == 0 {
		v.Gather(nil, func([][]int64) {}) // want `collective: Gather depends on the rank`
	}
	if n.Rank() != 0 {
		a.Exchange(func([][]int64) {}, func([][]int64) {}) // want `collective: Exchange depends on the rank`
	}
	// The one has Gather of Vectors, the others of fagus.
	if n.Rank() == 0 {
		v.Gather(nil, nil) // want `collective: Gather depends on the rank`
	} else {
		fagus.Gather(n, 1)
	}
	if n.Rank() == 0 {
		parts.Timed(n, func() error { return nil }) // want `collective: Timed depends on the rank`
	}
}

func tableAtOne(n *fagus.Node, t *parts.Table[int, int64]) error {
	t.Merge()
	if n.Rank() == 0 {
		_, err := t.Collect(0) // want `collective: Collect depends on the rank`
		return err
	}
	return n.Err()
}

func newAtOne(n *fagus.Node) error {
	if n.Rank() > 0 {
		_, err := parts.NewTable[int, int64](n, "t", nil, nil) // want `collective: NewTable depends on the rank`
		return err
	}
	return n.Err()
}

func eachAtOne(n *fagus.Node, q *parts.Queue, p *parts.Pool[int64]) {
	if n.Rank() == 0 {
		q.Each(func(b int) error { return nil }, parts.Results{}) // want `collective: Each depends on the rank`
	} else {
		p.Each(nil, nil, parts.Exchange{})
	}
}

func measured(n *fagus.Node) {
	if n.Rank() == 0 {
		n.Measure(n.Barrier)
		n.Measure(func() error { return n.Barrier() }) // want `collective: Barrier depends on the rank`
	}
}

// Ranks work on different numbers of batches.
func eachBatch(n *fagus.Node, q *parts.Queue, v *parts.Vectors[int64], x *fagus.Guarded[int64]) error {
	return q.EachInRounds(func(b int) error {
		n.Set(x.Write()).Do(func() { x.Slice()[b]++ })
		v.Gather(nil, nil) // want `collective: Gather is called in a function that the Each of line 67 calls on each rank another number of times`
		return n.Fence()   // want `collective: Fence is called in a function that the Each of line 67`
	}, parts.Results{
		Want: func(b int) fagus.Request {
			y := fagus.NewGuarded[int64](n, "y", 1) // want `collective: NewGuarded is called in a function that the Each of line 67`
			return y.Write()
		},
	})
}

type walk struct {
	n *fagus.Node
}

func (w *walk) each(p *parts.Pool[int64]) error {
	return p.Each(nil, w.follow, parts.Exchange{})
}

func (w *walk) follow(t int64, add func(int64)) error {
	return w.n.Barrier() // want `collective: Barrier is called in a function that the Each of line 84`
}

// All ranks make the same calls.
func sameCalls(n *fagus.Node, v *parts.Vectors[int64], t *parts.Table[int, int64], q *parts.Queue) error {
	var all []parts.Entry[int, int64]
	if n.Rank() == 0 {
		v.Gather(nil, func(from [][]int64) {})
		fagus.Gather(n, 1)
		all, _ = t.Collect(0)
	} else {
		v.Gather(nil, nil)
		fagus.Reduce(n, 1, nil)
		t.Collect(0)
	}
	if n.Rank() == 0 {
		for _, e := range all {
			t.Add(e.Key, e.Value)
		}
		q.Batch(0)
	}
	return t.Merge()
}

func valuesAtOne(n *fagus.Node) error {
	if n.Rank() == 0 {
		_, err := parts.NewList[string](n, "l", 100) // want `collective: NewList depends on the rank`
		return err
	}
	return n.Err()
}

func gatherValuesAtOne(n *fagus.Node) error {
	if n.Rank() == 0 {
		_, err := parts.Gather(n, "x") // want `collective: Gather depends on the rank`
		return err
	}
	return n.Err()
}

func reduceValuesAtOne(n *fagus.Node) {
	if n.Rank() == 1 {
		parts.Reduce(n, "x", func(a, b string) string { return a + b }) // want `collective: Reduce depends on the rank`
	}
}
