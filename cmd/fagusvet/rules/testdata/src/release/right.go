package release

import (
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

var errBad = errors.New("bad")

func always(n *fagus.Node, set *fagus.SyncSet) error {
	if err := n.Acquire(set); err != nil {
		return err
	}
	return n.Release(set)
}

// Errors fail the run, whatever is held.
func errorsAreFine(n *fagus.Node, set *fagus.SyncSet, a *fagus.Array[int64], step func(int64) error) (err error) {
	if err = n.Acquire(set); err != nil {
		return fmt.Errorf("acquire: %w", err)
	}
	switch a.Slice()[0] {
	case 0:
		return errBad
	case 1:
		return fmt.Errorf("element is %d", a.Slice()[0])
	case 2:
		panic("two")
	}
	if err := n.Err(); err != nil {
		return err
	}
	return n.Release(set)
}

// compute is no call of fagus.
func computeFails(n *fagus.Node, set *fagus.SyncSet, a *fagus.Array[int64]) error {
	if err := n.Acquire(set); err != nil {
		return err
	}
	if err := compute(a.Slice()); err != nil {
		return err
	}
	return n.Release(set)
}

func compute(all []int64) error {
	if len(all) == 0 {
		return errBad
	}
	all[0]++
	return nil
}

func sameCondition(n *fagus.Node, set *fagus.SyncSet, a *fagus.Array[int64]) error {
	if n.Rank() == 0 {
		if err := n.Acquire(set); err != nil {
			return err
		}
	}
	for range 3 {
		a.Slice()[0]++
	}
	if n.Rank() != 0 {
		return nil
	}
	return n.Release(set)
}

func remembered(n *fagus.Node, set *fagus.SyncSet, need bool) error {
	held := false
	if need {
		if err := n.Acquire(set); err != nil {
			return err
		}
		held = true
	}
	if held {
		return n.Release(set)
	}
	return nil
}

func deferred(n *fagus.Node, set *fagus.SyncSet) (err error) {
	if err := n.Acquire(set); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Release(set)) }()
	return nil
}

func give(n *fagus.Node, set *fagus.SyncSet) error { return n.Release(set) }

func byHelper(n *fagus.Node, set *fagus.SyncSet, early bool) error {
	if err := n.Acquire(set); err != nil {
		return err
	}
	if early {
		return give(n, set)
	}
	return n.Release(set)
}

// take leaves the release to its caller.
func take(n *fagus.Node, set *fagus.SyncSet) error { return n.Acquire(set) }

func joined(n *fagus.Node, set *fagus.SyncSet) error {
	return errors.Join(n.Acquire(set), n.Release(set), n.Update())
}

func loop(n *fagus.Node, set *fagus.SyncSet, a *fagus.Array[int64]) error {
	for {
		if err := n.Acquire(set); err != nil {
			return err
		}
		over := a.Slice()[0] == 0
		if !over {
			a.Slice()[0]--
		}
		if err := n.Release(set); err != nil {
			return err
		}
		if over {
			return nil
		}
	}
}

func ignored(n *fagus.Node, set *fagus.SyncSet, keep bool) error {
	//fagusvet:ignore release the caller asks for it
	if err := n.Acquire(set); err != nil {
		return err
	}
	if keep {
		return nil
	}
	return n.Release(set)
}
