package release

import (
	"os"

	"example.com/other"
	"github.com/fagus-dsm/fagus/fagus"
)

// err is a variable that a closure knows.
func capturedError(n *fagus.Node, set *fagus.SyncSet, early bool) (err error) {
	defer func() {
		if err != nil {
			os.Exit(1)
		}
	}()
	if err = n.Acquire(set); err != nil { // want `still held at the return of line 21`
		return err
	}
	if early {
		return nil
	}
	if err = n.Release(set); err != nil {
		return err
	}
	return nil
}

func returnedVariable(n *fagus.Node, set *fagus.SyncSet, early bool) error {
	err := n.Acquire(set) // want `still held at the return of line 34`
	if err == nil && !early {
		err = n.Release(set)
	}
	return err
}

func checkedLater(n *fagus.Node, set *fagus.SyncSet, step func([]int64) error) error {
	err := n.Acquire(set)
	if err == nil {
		err = n.Release(set)
	}
	return err
}

func computeError(n *fagus.Node, set *fagus.SyncSet, a *fagus.Array[int64]) error {
	err := n.Acquire(set) // want `still held at the return of line 51`
	if err != nil {
		return err
	}
	if err = compute(a.Slice()); err == nil {
		return err
	}
	return n.Release(set)
}

func elsewhere(n *fagus.Node, set *fagus.SyncSet, w *other.Wrapped) error {
	if err := n.Acquire(set); err != nil {
		return err
	}
	if w != nil {
		return other.Begin(w)
	}
	return n.Release(set)
}

func arithmetic(n *fagus.Node, set *fagus.SyncSet, turn int, list []int) error {
	if (turn+n.Rank())%n.Nodes() == 0 && list[turn] < len(list) {
		if err := n.Acquire(set); err != nil {
			return err
		}
	}
	if !((turn+n.Rank())%n.Nodes() == 0 && list[turn] < len(list)) {
		return nil
	}
	return n.Release(set)
}

func negated(n *fagus.Node, set *fagus.SyncSet, need bool) error {
	skip := !need
	if need {
		if err := n.Acquire(set); err != nil {
			return err
		}
	}
	if skip {
		return nil
	}
	return n.Release(set)
}

func loopsOnce(n *fagus.Node, set *fagus.SyncSet, list []int64) error {
	for _, x := range list {
		if x == 0 {
			if err := n.Acquire(set); err != nil { // want `still held at the Acquire of line 94`
				return err
			}
		}
		if x == 1 {
			if err := n.Release(set); err != nil {
				return err
			}
		}
	}
	return nil
}
