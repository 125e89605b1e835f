package release

import (
	"context"
	"errors"

	"github.com/fagus-dsm/fagus/fagus"
)

func earlyReturn(n *fagus.Node, set *fagus.SyncSet, a *fagus.Array[int64]) error {
	if err := n.Acquire(set); err != nil { // want `release: the set acquired here is still held at the return of line 15`
		return err
	}
	if a.Slice()[0] == 0 {
		return nil
	}
	return n.Release(set)
}

func inLoop(n *fagus.Node, set *fagus.SyncSet, a *fagus.Array[int64]) error {
	for i := range 10 {
		if err := n.Acquire(set); err != nil { // want `release: the set acquired here is still held at the Acquire of line 22`
			return err
		}
		if a.Slice()[i] == 0 {
			continue
		}
		if err := n.Release(set); err != nil {
			return err
		}
	}
	return nil
}

func breaks(n *fagus.Node, set *fagus.SyncSet, a *fagus.Array[int64]) error {
	for i := range 10 {
		if err := n.Acquire(set); err != nil { // want `still held at the return of line 47`
			return err
		}
		if a.Slice()[i] == 0 {
			break
		}
		if err := n.Release(set); err != nil {
			return err
		}
	}
	return nil
}

func update(n *fagus.Node, set *fagus.SyncSet) error {
	if err := n.Acquire(set); err != nil { // want `still held at the Update of line 54`
		return err
	}
	if err := n.Update(); err != nil {
		return err
	}
	return n.Release(set)
}

func barrierOnOneWay(n *fagus.Node, set *fagus.SyncSet, wait bool) error {
	if err := n.Acquire(set); err != nil { // want `still held at the Barrier of line 65`
		return err
	}
	if wait {
		if err := n.Barrier(); err != nil {
			return err
		}
	}
	return n.Release(set)
}

func noResult(n *fagus.Node, set *fagus.SyncSet, give bool) {
	if n.Acquire(set) != nil { // want `still held at the return of line 79`
		return
	}
	if give {
		_ = n.Release(set)
	}
}

func oneOfTwo(n *fagus.Node, a, b *fagus.SyncSet) error {
	if err := n.Acquire(a); err != nil {
		return err
	}
	if err := n.Release(a); err != nil {
		return err
	}
	return n.Acquire(b) // want `still held at the return of line 88`
}

func otherCondition(n *fagus.Node, set *fagus.SyncSet) error {
	if n.Rank() == 0 {
		if err := n.Acquire(set); err != nil { // want `still held at the return of line 100`
			return err
		}
	}
	if n.Rank() == 1 {
		return n.Release(set)
	}
	return nil
}

// Nothing releases, and fagus.Run is given the function.
func program(n *fagus.Node) error {
	set := n.Set()
	return n.Acquire(set) // want `still held at the return of line 106`
}

func run() error {
	_, err := fagus.Run(context.Background(), fagus.Config{}, program)
	_, other := fagus.Run(context.Background(), fagus.Config{}, func(n *fagus.Node) error {
		err := n.Acquire(n.Set()) // want `still held at the return of line 113`
		return err
	})
	return errors.Join(err, other)
}

var table = []func(n *fagus.Node, set *fagus.SyncSet) error{
	func(n *fagus.Node, set *fagus.SyncSet) error {
		if err := n.Acquire(set); err != nil { // want `still held at the Acquire of line 123`
			return err
		}
		return n.Acquire(set)
	},
}

func reduceHolding(n *fagus.Node, set *fagus.SyncSet, sum bool) error {
	if err := n.Acquire(set); err != nil { // want `still held at the Reduce of line 132`
		return err
	}
	if sum {
		if _, err := fagus.Reduce(n, 1, func(a, b int) int { return a + b }); err != nil {
			return err
		}
	}
	return n.Release(set)
}
