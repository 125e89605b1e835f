package fagus

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Acquire begins a tenure. It returns when every variable of set is granted with the requested
// access and this rank's copy of the bound data is current.
//
// In Phase mode Acquire is a communication phase: it waits until every other rank makes a
// collective call or returns, even if that rank needs none of the variables. In Threaded mode
// Acquire waits only for the ranks that hold a requested variable, but for the first Acquire after
// an Update (see the package comment).
//
// The rank must hold no variable. If it does, or if a request is invalid, Acquire returns an error
// and communicates nothing. After another error copies may be partly updated.
func (n *Node) Acquire(set *SyncSet) error {
	if err := n.ready("Acquire"); err != nil {
		return err
	}
	if set == nil || set.node != n {
		return n.errorf("Acquire: the set was not made by this rank's Node.Set")
	}
	if err := set.compile(); err != nil {
		return n.errorf("Acquire: %w", err)
	}
	if err := n.enter(rollcall.Acquire, PartAcquire, set); err != nil {
		return err
	}
	latest, err := n.engine.Acquire(set.shared, set.exclusive)
	return n.acquired(set, latest, err)
}

// acquired ends an Acquire. latest and err are the result of the engine.
func (n *Node) acquired(set *SyncSet, latest syncvar.Latest, err error) error {
	if err := n.leave(rollcall.Acquire, PartAcquire, set, latest, err); err != nil {
		return err
	}
	n.lines.acquired(set)
	if err := n.events.tell(eventGranted, rollcall.Acquire, set, nil); err != nil {
		return n.errorf("Acquire: %w", err)
	}
	for i, id := range set.exclusive {
		n.space.BeginWrite(id, set.declared[i])
	}
	n.chargeTwins()
	if err := n.events.tell(eventAcquired, rollcall.Acquire, set, nil); err != nil {
		return n.errorf("Acquire: %w", err)
	}
	n.held = set
	return n.events.tell(eventReturned, rollcall.Acquire, set, nil)
}

// chargeTwins charges the work of write detection to a virtual clock.
func (n *Node) chargeTwins() {
	if copied, compared := n.space.TwinWork(); copied+compared > 0 {
		n.work.charge(dimmnet.Copy, copied)
		n.work.charge(dimmnet.Compare, compared)
	}
}

// clockBytes bounds the bytes that Release compares in less time than it takes to read a real clock
// twice: 50 ns. The time of such a Release counts as the program's.
const clockBytes = 256

// Release ends the tenure. set must be the set that the rank holds. Release finds the bytes that
// the rank has changed; ranks that acquire the variables later fetch these bytes. In Phase mode
// Release sends nothing. In Threaded mode it passes the variables on, and does not wait.
func (n *Node) Release(set *SyncSet) error {
	if err := n.alone("Release"); err != nil {
		return err
	}
	if n.status.err != nil {
		return n.status.err
	}
	if set == nil || n.held != set {
		return n.errorf("Release: the set is not held: acquire it first, and release it only once")
	}
	return n.release(set, false)
}

// release releases the set that the rank holds. unchanged says that the program has written
// nothing.
func (n *Node) release(set *SyncSet, unchanged bool) error {
	if err := n.events.tell(eventReleasing, rollcall.Release, set, nil); err != nil {
		return n.errorf("%w", err)
	}
	// The timeline says when others could take a lock.
	traced := n.mode == Threaded && n.silent && (n.clock.drawn || n.clock.exact)
	little := n.space.IsOneCopy() || set.compared <= clockBytes && !n.work.virtual
	if little && !traced && !n.clock.exact && n.silent {
		n.clock.countRelease()
	} else {
		n.clock.enter(PartRelease)
	}
	n.wrote = n.wrote[:0]
	for _, id := range set.exclusive {
		changed := false
		if version := n.engine.Version(id); unchanged {
			changed = n.space.EndUnchanged(id, version)
		} else {
			changed = n.space.EndWrite(id, version)
		}
		if changed {
			n.wrote = append(n.wrote, id)
		}
	}
	n.chargeTwins()
	n.held = nil
	if err := n.events.tell(eventReleased, rollcall.Release, set, n.wrote); err != nil {
		return n.errorf("%w", err)
	}
	if !n.silent {
		n.monitor.Enter(rollcall.Release, set.held())
	}
	if traced {
		n.clock.enter(PartCompute) // before a waiting rank goes on
	}
	err := n.engine.Release(set.shared, set.exclusive, n.wrote)
	if n.clock.part == PartRelease {
		n.clock.enter(PartCompute)
		n.clock.left = n.clock.since
	}
	if err != nil {
		n.monitor.Fail()
		return n.errorf("Release: %w", err)
	}
	if n.silent {
		n.monitor.Pass()
	} else {
		n.monitor.Leave(nil)
	}
	return n.events.tell(eventReturned, rollcall.Release, set, nil)
}

// Do acquires the set, calls f, and releases the set. If Acquire fails, it does not call f. It
// returns the first error of the two calls. See [Node.During] for functions that fail.
func (s *SyncSet) Do(f func()) error {
	return s.node.During(s, func() error {
		f()
		return nil
	})
}

// During acquires set, calls f, and releases set, also if f returns an error. It returns the first
// error of the three steps.
func (n *Node) During(set *SyncSet, f func() error) error {
	if err := n.Acquire(set); err != nil {
		return err
	}
	if err := f(); err != nil {
		if n.held == set { // false if f has released set
			_ = n.Release(set) // the error of f is the cause
		}
		return err
	}
	return n.Release(set)
}
