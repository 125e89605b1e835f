package collective

import (
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

func stepAtOne(n *fagus.Node, p *parts.Pair[int64], q *parts.Queue) error {
	if n.Rank() == 0 {
		q.Next(func() {})
		p.Step(func() error { return nil }) // want `collective: Step depends on the rank`
	}
	return n.Err()
}
