package host

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

type sleepEvent struct {
	k      *Kernel
	set    bool
	waiter *Thread
}

// NewEvent returns an event for the threads of this node.
func (th *Thread) NewEvent() dimmnet.Event { return &sleepEvent{k: th.k} }

// wake wakes the waiting thread at the time at, or lets the next Wait return. by may be nil.
func (e *sleepEvent) wake(at dimmnet.Time, by *Thread) {
	w := e.waiter
	if w == nil || w.state != asleep {
		e.set = true
		return
	}
	e.waiter = nil
	w.turn.left += e.k.preset.Host.Costs.Wake
	w.wake(at, by)
}

// Set wakes the waiting thread.
func (e *sleepEvent) Set() {
	th := e.k.current
	th.Sync()
	e.wake(th.now, th)
}

// Notice returns the event that notices set.
func (th *Thread) Notice() dimmnet.Event { return &th.node.notice }

// Notices returns the number of notices that have come.
func (th *Thread) Notices() uint64 {
	th.Sync()
	return th.node.notices
}

// Wait sleeps until the event is set.
func (e *sleepEvent) Wait() error {
	th := e.k.current
	th.Sync()
	if e.k.err != nil || e.set {
		e.set = false
		return e.k.err
	}
	if e.waiter != nil {
		panic(fmt.Sprintf("sim: rank %d: Wait on an event that another thread waits for", th.rank))
	}
	e.waiter = th
	th.releaseCPU(asleep)
	th.suspend()
	if e.waiter == th { // it was woken because the run has failed
		e.waiter = nil
	}
	return e.k.err
}

// Notify sends a notice; see [dimmnet.Host].
func (th *Thread) Notify(dst dimmnet.Rank) {
	k := th.k
	if int(dst) >= len(k.nodes) {
		panic(fmt.Sprintf("sim: rank %d: Notify(%d): the run has %d nodes", th.rank, dst, len(k.nodes)))
	}
	th.compute(k.preset.Host.Notify, false)
	th.Sync()
	if dst == th.rank {
		k.line.Schedule(th.now+k.preset.Host.Notice, evNotice, int32(dst))
		return
	}
	th.node.net.Notify(dst, th.now)
}
