package access

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// What the methods of parts hold is not known, but they leave nothing held.
func queue(n *fagus.Node, q *parts.Queue, x *fagus.Guarded[int64]) error {
	_, _, err := q.Next(func() { x.Slice()[0]++ }, x.Write())
	if err != nil {
		return err
	}
	x.Slice()[1]++ // want `access: an element of x is written, but no set is held: the Next of line 12 has released it`
	return nil
}

func pair(n *fagus.Node, p *parts.Pair[int64], x *fagus.Guarded[int64]) error {
	p.Step(func() error {
		x.Slice()[0]++
		return nil
	})
	n.Update()
	fmt.Println(x.Slice()[0])
	parts.Timed(n, func() error { return n.Acquire(n.Set(x.Write())) })
	x.Slice()[0]++
	return n.Err()
}
