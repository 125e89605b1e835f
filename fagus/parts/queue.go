package parts

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// Queue distributes items to ranks on demand. In threaded mode a rank takes items whenever it
// is free. In phase mode every Next is a phase in which all ranks must take part.
type Queue struct {
	node         *fagus.Node
	items, batch int
	next         *fagus.Array[int64] // one element: the number of the next item
	guard        *fagus.SyncVar
}

// NewQueue makes a queue of the items 0 to items-1, which Next hands out in batches of the
// given size. It is collective.
func NewQueue(n *fagus.Node, name string, items, batch int) (*Queue, error) {
	if items < 0 || batch < 1 {
		return nil, fmt.Errorf("parts: queue %q of %d items in batches of %d: want at least 0 items, and at least 1 item per batch", name, items, batch)
	}
	next, err := fagus.NewArray[int64](n, name, 1)
	if err != nil {
		return nil, err
	}
	guard, err := n.Bind(name, next.All())
	return &Queue{node: n, items: items, batch: batch, next: next, guard: guard}, err
}

// Next takes the next batch: the items lo to hi-1. If lo equals hi, the queue is empty, and stays
// empty for all ranks.
//
// If deliver is not nil, Next calls it while the rank holds the variables of all requests. A rank
// can thus store the results of one batch in the same phase in which it takes the next batch.
func (q *Queue) Next(deliver func(), with ...fagus.Request) (lo, hi int, err error) {
	set := q.node.Set(append([]fagus.Request{fagus.Want(q.guard, fagus.Exclusive).Unordered()}, with...)...)
	err = q.node.During(set, func() error {
		if deliver != nil {
			deliver()
		}
		next := q.next.Slice()
		lo = int(next[0])
		hi = min(lo+q.batch, q.items)
		next[0] = int64(hi)
		return nil
	})
	return lo, hi, err
}
