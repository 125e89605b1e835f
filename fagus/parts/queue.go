package parts

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// Queue hands out items to whoever is free. In threaded mode ranks take items as they come; in
// phase mode every Next is a phase, for which all ranks must come together.
type Queue struct {
	node         *fagus.Node
	items, batch int
	next         *fagus.Array[int64] // one number: the first item that nobody has
	guard        *fagus.SyncVar
}

// NewQueue makes a queue of the items 0 up to items, which hands out batch at a time. It is
// collective.
func NewQueue(n *fagus.Node, name string, items, batch int) (*Queue, error) {
	if items < 0 || batch < 1 {
		return nil, fmt.Errorf("parts: queue %q of %d items, %d at a time: want at least 0, and 1", name, items, batch)
	}
	next, err := fagus.NewArray[int64](n, name, 1)
	if err != nil {
		return nil, err
	}
	guard, err := n.Bind(name, next.All())
	return &Queue{node: n, items: items, batch: batch, next: next, guard: guard}, err
}

// Next takes the next items, lo up to but not including hi: none if lo is hi, and then no rank will
// get any more. with are wanted beside the queue, and held while hand is called, unless that is nil: so a
// rank hands in what it has done in the phase in which it takes more.
func (q *Queue) Next(hand func(), with ...fagus.Request) (lo, hi int, err error) {
	set := q.node.Set(append([]fagus.Request{fagus.Want(q.guard, fagus.Exclusive)}, with...)...)
	err = q.node.During(set, func() error {
		if hand != nil {
			hand()
		}
		next := q.next.Slice()
		lo = int(next[0])
		hi = min(lo+q.batch, q.items)
		next[0] = int64(hi)
		return nil
	})
	return lo, hi, err
}
