package collective

import "github.com/fagus-dsm/fagus/fagus"

// Do is no more collective than Acquire is.
func doAtOne(n *fagus.Node, set *fagus.SyncSet, x *fagus.Guarded[int64]) error {
	if n.Rank() == 0 {
		set.Do(func() { x.Slice()[0] = 1 })
	}
	n.Barrier()
	return n.Err()
}

func barrierInDo(n *fagus.Node, set *fagus.SyncSet) {
	if n.Rank() == 0 {
		set.Do(func() {
			n.Barrier() // want `collective: Barrier depends on the rank \(line 15\)`
		})
	}
}

func barrierAfterDo(n *fagus.Node, set *fagus.SyncSet) error {
	if n.Rank() == 0 {
		n.During(set, func() error { return nil })
		n.Fence() // want `collective: Fence depends on the rank`
	}
	return n.Err()
}

func bindInBoth(n *fagus.Node, set *fagus.SyncSet, x *fagus.Array[int64]) {
	if n.Rank() == 0 {
		set.Do(func() { n.Bind("x", x.All()) })
	} else {
		n.Bind("x", x.All())
	}
}

func insideBody(n *fagus.Node, set *fagus.SyncSet) {
	set.Do(func() {
		if n.Rank() == 0 {
			n.Barrier() // want `collective: Barrier depends on the rank`
		}
	})
}
