package fagus

import "github.com/fagus-dsm/fagus/fagus/rollcall"

// AcquireWhen begins a tenure of set in which ready returns true. It calls ready while the rank
// holds set. If ready returns false, AcquireWhen releases set, and waits until another rank has
// changed the variable of the set's first request; then it tries again. The rank holds nothing
// while it waits, and polls nothing: in Threaded mode it sleeps, in Phase mode it takes part in the
// phases of the other ranks. So AcquireWhen is the Wait of a condition variable, and every Release
// with changes is its Broadcast.
//
//	queue := fagus.NewGuarded[int64](n, "queue", 100)
//	set := n.Set(queue.Write())
//	err := n.AcquireWhen(set, func() bool { return queue.Slice()[0] > 0 })
//	queue.Slice()[0]--
//	err = n.Release(set)
//
// ready must only read: what it writes may be lost. It may return true in a later call although
// nothing has changed since. As any number of ranks may look first, the requests of set count as
// Unordered.
//
// AcquireWhen returns the errors of Acquire and Release. If all ranks wait, no change can come, and
// the run fails: at once on goroutines, on simulated networks and in Phase mode, elsewhere when a
// rank has waited as long as its network allows (docs/guide/waits.md).
func (n *Node) AcquireWhen(set *SyncSet, ready func() bool) error {
	if set != nil && len(set.requests) == 0 {
		return n.errorf("AcquireWhen: the set is empty: its first request says for which variable's change to wait")
	}
	if set != nil {
		set.unordered()
	}
	if err := n.Acquire(set); err != nil {
		return err
	}
	for eager := true; !ready(); eager = false {
		n.engine.Await(set.requests[0].v.id)
		if err := n.release(set, true); err != nil {
			return err
		}
		if err := n.acquireChanged(set, eager); err != nil {
			return err
		}
	}
	return nil
}

// acquireChanged begins the next tenure of AcquireWhen.
func (n *Node) acquireChanged(set *SyncSet, eager bool) error {
	if err := n.ready("AcquireWhen"); err != nil {
		return err
	}
	if err := n.enter(rollcall.Acquire, PartAcquire, set); err != nil {
		return err
	}
	latest, err := n.engine.AcquireChanged(set.shared, set.exclusive, eager)
	return n.acquired(set, latest, err)
}

// DoWhen acquires the set when ready returns true (see [Node.AcquireWhen]), calls f, and releases
// the set. If it cannot acquire the set, it does not call f. It returns the first error.
func (s *SyncSet) DoWhen(ready func() bool, f func()) error {
	if err := s.node.AcquireWhen(s, ready); err != nil {
		return err
	}
	f()
	return s.node.Release(s)
}

// unordered makes all requests of the set Unordered.
func (s *SyncSet) unordered() {
	for i := range s.requests {
		s.compiled = s.compiled && s.requests[i].unordered
		s.requests[i].unordered = true
	}
}
