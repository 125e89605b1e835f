package release

import (
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

func pair(n *fagus.Node, p *parts.Pair[int64], set *fagus.SyncSet) error {
	p.Fill(func() error {
		return n.Update() // want `Update is called while the Fill of line 9 holds its set: call it after the Fill`
	})
	p.Step(func() error { return set.Do(func() {}) }) // want `Do is called while the Step of line 12 holds its set`
	n.Acquire(set)                                    // want `still held at the Step of line 14`
	p.Step(func() error { return nil })
	n.Release(set)
	return n.Err()
}

func queue(n *fagus.Node, q *parts.Queue, x *fagus.Guarded[int64]) error {
	return q.Each(func(b int) error {
		n.Acquire(n.Set(x.Read())) // want `the set acquired here is still held at the return of line 22`
		return nil
	}, parts.Results{
		Want: func(b int) fagus.Request { return x.Write() },
		Store: func(b int) {
			x.Slice()[b]++
			n.Set(x.Read()).Do(func() {}) // want `Do is called while the Each of line 20 holds its set: call it after the Each`
		},
	})
}

func pool(n *fagus.Node, p *parts.Pool[int64], x *fagus.Guarded[int64]) error {
	n.Acquire(n.Set(x.Read())) // want `still held at the Each of line 34`
	return p.Each(nil, func(t int64, add func(int64)) error { return nil }, parts.Exchange{
		Want: func() []fagus.Request { return nil },
		Do:   func() { n.Barrier() }, // want `Barrier is called while the Each of line 34 holds its set`
	})
}

func vectors(n *fagus.Node, v *parts.Vectors[int64], a *parts.AllToAll[int64], t *parts.Table[int, int64], set *fagus.SyncSet) {
	set.Do(func() { parts.Broadcast[int64](n, nil, 0) }) // want `Broadcast is called while the Do of line 41 holds its set`
	set.Do(func() { t.Merge() })                         // want `Merge is called while the Do of line 42 holds its set`
	set.Do(func() { t.Add(1, 1) })
	n.Acquire(set) // want `still held at the Collect of line 45`
	t.Collect()
	n.Acquire(set) // want `still held at the Gather of line 47`
	fagus.Gather(n, 1)
	var read func([][]int64)
	if n.Rank() == 0 {
		read = func(from [][]int64) { set.Do(func() {}) } // want `Do is called while the Gather of line 52 holds its set`
	}
	v.Gather(nil, read)
	a.Exchange(
		func(to [][]int64) { n.Fence() }, // want `Fence is called while the Exchange of line 53 holds its set`
		func(from [][]int64) {
			v.Reduce(nil, func(a, b int64) int64 { // want `Reduce is called while the Exchange of line 53 holds its set`
				n.Update() // want `Update is called while the Reduce of line 56 holds its set`
				return a
			})
		})
}

// Timed holds nothing.
func timed(n *fagus.Node) error {
	_, err := parts.Timed(n, func() error { return n.Barrier() })
	return err
}

func values(n *fagus.Node, l *parts.List[string]) error {
	return n.During(n.Set(l.Write()), func() error {
		if _, err := parts.Gather(n, "x"); err != nil { // want `Gather is called while the During of line [0-9]+ holds its set`
			return err
		}
		return l.Append("x")
	})
}
