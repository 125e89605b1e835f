package release

import (
	"errors"

	"github.com/fagus-dsm/fagus/fagus"
)

func barrierInDo(n *fagus.Node, set, other *fagus.SyncSet, x *fagus.Guarded[int64]) {
	set.Do(func() {
		x.Slice()[0]++
		n.Barrier() // want `release: Barrier is called while the Do of line 10 holds its set: call it after the Do`
	})
	set.Do(func() { n.Update() })          // want `Update is called while the Do of line 14 holds its set`
	set.Do(func() { n.Fence() })           // want `Fence is called`
	set.Do(func() { n.Acquire(other) })    // want `Acquire is called`
	set.Do(func() { other.Do(func() {}) }) // want `Do is called while the Do of line 17 holds its set`
	n.During(set, func() error {
		_, err := fagus.Reduce(n, 1, func(a, b int) int { return a + b }) // want `Reduce is called while the During of line 18 holds its set`
		return err
	})
	n.During(set, func() error {
		if x.Slice()[0] == 0 {
			return nil
		}
		return n.During(other, func() error { return nil }) // want `During is called while the During of line 22 holds its set`
	})
}

// A return ends the function, and Do releases the set.
func returnsInDo(n *fagus.Node, set *fagus.SyncSet, x *fagus.Guarded[int64]) error {
	set.Do(func() {
		if x.Slice()[0] == 0 {
			return
		}
		x.Slice()[0]--
	})
	n.Barrier()
	return n.During(set, func() error {
		if x.Slice()[0] < 0 {
			return errBad
		}
		for i := range x.Slice() {
			if i == 7 {
				return nil
			}
		}
		return n.Err()
	})
}

func releasesInDo(n *fagus.Node, set *fagus.SyncSet) {
	set.Do(func() {
		n.Release(set) // want `release: the set of the Do of line 53 is released here, and again when the function has returned`
	})
	n.During(set, func() error {
		if n.Rank() == 0 {
			return n.Release(set) // want `the set of the During of line 56 is released here`
		}
		return nil
	})
	n.During(set, func() error {
		n.Release(set)
		return errBad // During does not release it again
	})
	n.During(set, func() error {
		n.Release(set)
		n.Update()
		return n.Acquire(set)
	})
}

func heldAtDo(n *fagus.Node, set, other *fagus.SyncSet) {
	n.Acquire(set) // want `release: the set acquired here is still held at the Do of line 75`
	other.Do(func() {})
	n.Release(set)
}

func heldAtDuring(n *fagus.Node, set, other *fagus.SyncSet) error {
	if err := n.Acquire(set); err != nil { // want `still held at the During of line 83`
		return err
	}
	return errors.Join(n.During(other, func() error { return nil }), n.Release(set))
}

// Do leaves nothing held.
func doAfterDo(n *fagus.Node, set, other *fagus.SyncSet, x *fagus.Guarded[int64]) error {
	set.Do(func() { x.Slice()[0]++ })
	other.Do(func() { x.Slice()[1]++ })
	n.Update()
	n.Acquire(set)
	x.Slice()[0]++
	n.Release(set)
	return n.Err()
}

// A body with a name, and one that runs elsewhere, too.
func named(n *fagus.Node) {
	set := n.Set()
	set.Do(waits{n}.wait)
	set.Do(waits{n}.waitOutside)
	waits{n}.waitOutside()
	n.During(set, func() error { return wait(n) })
}

type waits struct{ n *fagus.Node }

func (w waits) wait()        { w.n.Barrier() } // want `Barrier is called while the Do of line 100 holds its set`
func (w waits) waitOutside() { w.n.Barrier() }

func wait(n *fagus.Node) error { return n.Barrier() }

// Nobody checks an error, because errors stick.
func unchecked(n *fagus.Node, set *fagus.SyncSet, x *fagus.Guarded[int64]) error {
	for i := 0; i < 10 && n.Err() == nil; i++ {
		n.Acquire(set)
		x.Slice()[0]++
		n.Release(set)
		n.Barrier()
	}
	return n.Err()
}

func uncheckedLeak(n *fagus.Node, set *fagus.SyncSet, x *fagus.Guarded[int64]) error {
	n.Acquire(set) // want `still held at the return of line 129`
	if x.Slice()[0] > 0 {
		n.Release(set)
	}
	return n.Err()
}

// One report for a mistake is enough.
func acquiresInDo(n *fagus.Node, set, other *fagus.SyncSet) {
	set.Do(func() {
		n.Acquire(other) // want `Acquire is called while the Do of line 134 holds its set`
		n.Release(other)
	})
}
