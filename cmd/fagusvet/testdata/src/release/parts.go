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
	for n.Err() == nil {
		lo, hi, _ := q.Next(func() {
			x.Slice()[0]++
			n.Barrier() // want `Barrier is called while the Next of line 21 holds its set`
		}, x.Write())
		if lo == hi {
			break
		}
		n.Set(x.Read()).Do(func() {})
	}
	_, _, err := q.Next(nil)
	return err
}

// Timed holds nothing.
func timed(n *fagus.Node) error {
	_, err := parts.Timed(n, func() error { return n.Barrier() })
	return err
}
